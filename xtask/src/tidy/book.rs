//! The book of `docs/` lists each page once, and its links lead somewhere.

use super::sources::{Breach, Sources};
use std::path::Path;

const SUMMARY: &str = "docs/SUMMARY.md";

/// Checks that `SUMMARY.md` lists each page of `docs/` once and no other.
pub fn pages(sources: &Sources) -> Vec<Breach> {
    let Some(summary) = sources.text(SUMMARY) else { return Vec::new() };
    let mut listed: Vec<String> =
        links(summary).map(|(_, target)| format!("docs/{target}")).collect();
    listed.sort();
    let mut breaches = Vec::new();
    for pair in listed.windows(2).filter(|pair| pair[0] == pair[1]) {
        breaches.push(Breach::new(SUMMARY, 0, format!("lists {} twice", pair[0])));
    }
    let is_page = |path: &str| path.starts_with("docs/") && path.ends_with(".md");
    for file in sources.files.iter().filter(|file| is_page(&file.path) && file.path != SUMMARY) {
        if !listed.contains(&file.path) {
            breaches.push(Breach::new(&file.path, 0, "is not in docs/SUMMARY.md"));
        }
    }
    for page in listed.iter().filter(|page| sources.text(page).is_none()) {
        breaches.push(Breach::new(SUMMARY, 0, format!("lists {page}, which does not exist")));
    }
    breaches
}

/// Checks that links between pages name pages that exist, and headings that they have.
pub fn targets(sources: &Sources) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in sources.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, target) in links(&file.text) {
            let (page, heading) = target.split_once('#').unwrap_or((target, ""));
            if page.contains("://") || !(page.is_empty() || page.ends_with(".md")) {
                continue;
            }
            let path = if page.is_empty() { file.path.clone() } else { beside(&file.path, page) };
            let Some(text) = sources.text(&path) else {
                breaches.push(Breach::new(&file.path, line, format!("{target} does not exist")));
                continue;
            };
            if !heading.is_empty() && !headings(text).any(|known| known == heading) {
                let message = format!("{path} has no heading for {target}");
                breaches.push(Breach::new(&file.path, line, message));
            }
        }
    }
    breaches
}

/// The lines outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((number + 1, line))
    })
}

/// The targets of links, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        let ends = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
        ends.filter_map(move |rest| rest.split_once(')').map(|(target, _)| (number, target)))
    })
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = prose(text).map(|(_, line)| line).filter(|line| line.starts_with('#'));
    titles.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

/// A path relative to the folder of a file, as a path from the root.
fn beside(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in Path::new(path).iter().filter_map(|part| part.to_str()) {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_the_summary_lacks_or_repeats_are_found() {
        let summary = "- [A](a.md)\n- [A](a.md)\n- [Gone](gone.md)\n";
        let sources = Sources::of(&[(SUMMARY, summary), ("docs/a.md", ""), ("docs/x/b.md", "")]);
        let found: Vec<_> = pages(&sources).into_iter().map(|breach| breach.message).collect();
        assert_eq!(
            found,
            [
                "lists docs/a.md twice",
                "is not in docs/SUMMARY.md",
                "lists docs/gone.md, which does not exist"
            ]
        );
    }

    #[test]
    fn links_to_missing_pages_and_headings_are_found() {
        let text = "[a](../b.md#one-two) [b](b.md)\n[c](#there) [d](https://x.org/a.md)\n\
                    ```\n[e](z.md)\n# There\n```\n## Here\n[f](#here)\n";
        let sources = Sources::of(&[("docs/a.md", text), ("b.md", "# One, two\n")]);
        let found: Vec<_> = targets(&sources).into_iter().map(|breach| breach.message).collect();
        assert_eq!(found, ["b.md does not exist", "docs/a.md has no heading for #there"]);
    }
}
