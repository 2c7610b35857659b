//! The page `docs/environment.md`.

use super::table::{Group, VARIABLES, Variable};

/// The page `docs/environment.md`.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Environment variables\n\n\
         Written by `cargo xtask docs` from the table in `src/environment/table.rs`; change it \
         there.\n\
         An unset or empty variable has its default.\n\
         A value of the wrong form is the error PX090.\n\
         An unknown name that begins with `PHALANX_` is a warning that names the nearest one.\n",
    );
    for group in Group::ALL {
        page += &format!("\n## {}\n\n{}\n\n", group.title(), group.about());
        page += "| Variable | Value | Default | Since | Meaning |\n|---|---|---|---|---|\n";
        for variable in VARIABLES.iter().filter(|variable| variable.group == group) {
            let Variable { name, allowed, default, since, doc, .. } = variable;
            page += &format!("| `{name}` | {allowed} | {default} | {since} | {doc} |\n");
        }
    }
    page
}
