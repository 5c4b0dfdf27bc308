use super::*;
use crate::manifest::Status as ManifestStatus;
use crate::store::ActualUsage;

fn request(text: &str) -> Request {
    Request {
        text: text.to_owned(),
        session_id: None,
        branch_leaf: None,
        model: None,
        audience: Audience::default(),
        max_results: 8,
        max_tokens: 20_000,
        room_tokens: None,
        calibration: 1.0,
        held: Vec::new(),
        observe: false,
        explain: false,
    }
}

#[test]
fn a_usage_that_comes_before_its_manifest_is_stored_is_kept_once() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("project");
    std::fs::create_dir(&path).unwrap();
    let open = || {
        let data_directory = Some(scratch.path().join("data"));
        Project::open(OpenOptions { path: path.clone(), trust: Some(TrustSource::Api), data_directory, bounds: Bounds::default(), semantic: None }).unwrap()
    };
    let usage = |input_tokens| ActualUsage { completed_at: 1, input_tokens, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
    let project = open();
    let manifest = project.retrieve(&request("where?"), &Cancel::default()).unwrap().manifest;
    assert!(project.record_usage(&manifest.id, &usage(7), &Cancel::default()).unwrap());
    project.save_manifest(&manifest, &Cancel::default()).unwrap();
    assert!(!project.record_usage(&manifest.id, &usage(9), &Cancel::default()).unwrap());
    drop(project);
    let stored = open().manifests(1).unwrap();
    assert_eq!((stored[0].status, stored[0].actual_tokens), (ManifestStatus::Completed, Some(7)));
}
