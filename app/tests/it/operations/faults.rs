//! Injected faults.

use crate::planisphere::planisphere;
use crate::serve::{start, terminate, text};

#[test]
fn a_server_injects_the_faults_of_its_flags() {
    let fault = r#"{"operation":"query","status":429,"count":1}"#;
    let (server, ready) = start(&["--memory", "--fault", fault]);
    let endpoint = text(&ready, "endpoint");
    // The report is fetched by a route of ours, which has no faults; the listing is retried.
    planisphere(["report", "--endpoint", &endpoint]).succeeded();
    planisphere(["list", "--endpoint", &endpoint]).succeeded();
    assert_eq!(terminate(server), Some(0));
    let said = planisphere(["serve", "--memory", "--port", "0", "--fault", r#"{"status":1}"#]);
    assert!(said.code == 2 && said.err.contains("the status 1 is none of 408"), "{said:?}");
    let said = planisphere(["serve", "--memory", "--port", "0", "--fault", "503"]);
    assert!(said.code == 2 && said.err.contains("503 is no object"), "{said:?}");
}
