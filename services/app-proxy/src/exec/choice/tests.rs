use serde_json::json;

use super::*;

fn pod(name: &str, state: &Value) -> Value {
    json!({
        "metadata": {"namespace": "default", "name": name, "uid": name},
        "spec": {"containers": [{"name": "main"}, {"name": "side"}]},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "main", "restartCount": 0, "state": state},
            {"name": "side", "restartCount": 0, "state": {"running": {}}}]},
    })
}

fn running(name: &str) -> Value {
    pod(name, &json!({"running": {}}))
}

fn chosen(pods: &[Value], wanted: Option<&str>) -> Result<String, String> {
    let place = choose(pods, wanted);
    let place = place.map(|place| format!("{}/{}", place.pod, place.container));
    place.map_err(|error| error.to_string())
}

#[test]
fn a_command_runs_in_the_first_pod_that_runs() {
    let waiting = json!({"waiting": {"reason": "ImagePullBackOff"}});
    let pods = [running("c"), running("b"), pod("a", &waiting)];
    assert_eq!(chosen(&pods, None), Ok("b/main".to_owned()));
    assert_eq!(chosen(&pods, Some("side")), Ok("a/side".to_owned()));
    let mut leaving = running("a");
    leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let pods = [leaving.clone(), running("b")];
    assert_eq!(chosen(&pods, None), Ok("b/main".to_owned()));
    assert_eq!(chosen(&[leaving], None), Ok("a/main".to_owned()));
}

#[test]
fn where_none_runs_the_reason_is_told() {
    let waiting = json!({"waiting": {"reason": "ImagePullBackOff"}});
    let told = chosen(&[pod("a", &waiting)], None).unwrap_err();
    assert!(
        told.contains("main of the pod a does not run: ImagePullBackOff"),
        "{told}"
    );
    let ended = json!({"terminated": {"exitCode": 0}});
    let told = chosen(&[pod("a", &ended)], None).unwrap_err();
    assert!(told.contains("it has ended"), "{told}");
    let told = chosen(&[running("a")], Some("never")).unwrap_err();
    assert!(
        told.contains("no container never: it has main, side"),
        "{told}"
    );
    assert!(chosen(&[], None).unwrap_err().contains("no pod now"));
}
