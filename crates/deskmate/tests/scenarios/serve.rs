//! `deskmate serve`, as far as it goes.

use crate::binary::deskmate;

#[test]
fn what_is_not_there_yet_is_said() {
    let message = deskmate(&["serve"]).complained(1);
    assert!(message.contains("not in this build") && message.contains("`deskmate stdio`"), "{message}");
}
