use super::*;

#[test]
fn every_state_has_a_place_in_the_order_of_urgency() {
    for code in 0..4 {
        assert!(Sync::BY_URGENCY.contains(&Sync::from_code(code)));
    }
    for code in 0..7 {
        assert!(Health::BY_URGENCY.contains(&Health::from_code(code)));
    }
}
