use causeway_proto::inventory::v1 as pb;

use super::{parse_health, parse_sync};
use crate::words;

#[test]
fn states_are_read_as_they_are_printed() {
    for number in 1..=6 {
        let status = pb::HealthStatus::try_from(number).unwrap();
        assert_eq!(parse_health(words::health_status(status)), Ok(status));
    }
    for number in 1..=3 {
        let status = pb::SyncStatus::try_from(number).unwrap();
        assert_eq!(
            parse_sync(&words::sync_status(status).to_lowercase()),
            Ok(status)
        );
    }
    assert!(parse_health("Fine").unwrap_err().contains("Degraded"));
}
