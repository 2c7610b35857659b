"""Draws a timeline that PHALANX_TRACE wrote: python benches/timeline.py TRACE PICTURE [--plan N].

One row for the work and the messages of each device, coloured by kind. Needs matplotlib.
"""

import argparse
import json

COLOURS = {
    "launch": "#4c72b0", "library": "#55a868", "copy": "#ccb974", "graph": "#64b5cd",
    "collective": "#8172b2", "wait": "#dddddd", "message": "#c44e52", "plan": "#937860",
    "read": "#eeeeee",
}


def rows_of(events):
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
    return {row: f"rank {row[0]}, {name}" for row, name in sorted(names.items())}


def draw(events, picture, title):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import patches, pyplot

    spans = [event for event in events if event["ph"] == "X"]
    start = min(event["ts"] for event in spans)
    used = {(event["pid"], event["tid"]) for event in spans}
    rows = {row: name for row, name in rows_of(events).items() if row in used}
    places = {row: len(rows) - 1 - number for number, row in enumerate(rows)}
    figure, axes = pyplot.subplots(figsize=(12, 0.8 + 0.5 * len(rows)))
    length = max(event["ts"] + event["dur"] for event in spans) - start
    for event in spans:
        place = places[event["pid"], event["tid"]]
        left, width = (event["ts"] - start) / 1e3, event["dur"] / 1e3
        axes.add_patch(patches.Rectangle((left, place - 0.4), width, 0.8, linewidth=0.3,
                                         edgecolor="black", facecolor=COLOURS[event["cat"]]))
        if event["dur"] > 0.05 * length:
            axes.text(left + width / 2, place, event["name"][: int(120 * event["dur"] / length)],
                      ha="center", va="center", fontsize=7, clip_on=True)
    axes.set_xlim(0, length / 1e3)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_yticks(list(places.values()), list(rows.values()))
    axes.set_xlabel("milliseconds")
    axes.set_title(title, fontsize=10)
    kinds = [kind for kind in COLOURS if any(event["cat"] == kind for event in spans)]
    axes.legend([patches.Patch(facecolor=COLOURS[kind], edgecolor="black") for kind in kinds],
                kinds, loc="upper center", bbox_to_anchor=(0.5, -0.25), ncol=len(kinds), fontsize=8)
    figure.savefig(picture, dpi=110, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("picture")
    parser.add_argument("--plan", type=int, help="draws only this plan; a negative number counts "
                        "from the last one")
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    with open(arguments.trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    if arguments.plan is not None:
        of_devices = [event for event in events if event["ph"] == "X"
                      and event["cat"] not in ("plan", "read")]
        plans = sorted({event["args"]["plan"] for event in of_devices})
        plan = plans[arguments.plan] if arguments.plan < 0 else arguments.plan
        kept = [event for event in of_devices if event["args"]["plan"] == plan]
        events = [event for event in events if event["ph"] == "M"] + kept
    draw(events, arguments.picture, arguments.title)


if __name__ == "__main__":
    main()
