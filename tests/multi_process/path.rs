//! The files that an expression enters are those of the map in `ARCHITECTURE.md`, in its order.

use crate::world::World;

trials![an_expression_enters_the_files_of_the_map_in_its_order];

/// Files of the map that the expression does not need.
const NOT_NEEDED: [&str; 3] =
    ["python/src/ufunc.rs", "array/src/ufunc/call.rs", "array/src/array/write.rs"];

fn an_expression_enters_the_files_of_the_map_in_its_order() {
    let world = World::of(1, "expression", &[]).set("PHALANX_DEVICES", "cpu:3");
    let ended = world.set("PHALANX_LOG", "trace").run();
    assert!(ended[0].status.success(), "{ended:#?}");
    let mut entered: Vec<&str> = Vec::new();
    let lines = ended[0].errors.lines().skip_while(|line| *line != "begin");
    for line in lines.take_while(|line| *line != "end") {
        let file = line.split_once("phalanx::path: file=\"").map(|(_, rest)| rest);
        if let Some(file) = file.and_then(|rest| rest.strip_suffix('"'))
            && !entered.contains(&file)
        {
            entered.push(file);
        }
    }
    let mut map = files_of_the_map();
    map.retain(|file| !NOT_NEEDED.contains(&file.as_str()));
    assert_eq!(entered, map);
}

/// The files in the map of the path, in order.
fn files_of_the_map() -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let map = page.split("## The path of an expression").nth(1).expect("the map");
    let lines = map.lines().skip(1).take_while(|line| line.is_empty() || line.starts_with("    "));
    let words = lines.flat_map(str::split_whitespace);
    words
        .filter(|word| word.ends_with(".rs") && word.contains("/src/"))
        .map(str::to_owned)
        .collect()
}
