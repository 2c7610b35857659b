//! The names of the planes.

use crate::fixture::PLANES;

#[test]
fn planes_have_names() {
    let names = PLANES.iter().map(|(_, plane)| {
        let fixture = plane(3);
        let name = fixture.members[0].plane();
        fixture.shutdown();
        name
    });
    assert_eq!(names.collect::<Vec<_>>(), ["local", "tcp", "tcp"]);
}
