//! What was used in each of the last seconds: request units by operation, container and physical partition.

use std::collections::{BTreeMap, VecDeque};

use model::{Json, Number, Object};

use super::record::{RequestRecord, integer};

/// Seconds that are kept.
const SECONDS_MAX: u64 = 600;
/// Keys of one second beyond which others are summed under "other": a second has bounded memory.
const KEYS_MAX: usize = 64;

/// The sums of the last seconds, oldest first.
#[derive(Debug, Default)]
pub(super) struct LastSeconds(VecDeque<SecondSums>);

#[derive(Debug, Default)]
struct SecondSums {
    second: u64,
    requests: u64,
    throttled: u64,
    charge: f64,
    by_operation: BTreeMap<String, f64>,
    by_partition: BTreeMap<String, f64>,
}

impl LastSeconds {
    pub(super) fn add(&mut self, record: &RequestRecord) {
        let second = record.time_ms / 1000;
        // Requests of one second end in any order, so a late one belongs to a second before the last.
        let at = self.0.iter().rposition(|sums| sums.second <= second);
        let index = match at {
            Some(index) if self.0.get(index).is_some_and(|sums| sums.second == second) => index,
            found => {
                let index = found.map_or(0, |index| index + 1);
                self.0.insert(index, SecondSums { second, ..SecondSums::default() });
                index
            }
        };
        if let Some(sums) = self.0.get_mut(index) {
            sums.add(record);
        }
        let newest = self.0.back().map_or(second, |sums| sums.second);
        while self.0.front().is_some_and(|sums| sums.second + SECONDS_MAX <= newest) {
            self.0.pop_front();
        }
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Array(self.0.iter().map(SecondSums::to_json).collect())
    }
}

impl SecondSums {
    fn add(&mut self, record: &RequestRecord) {
        self.requests += 1;
        self.throttled += u64::from(record.status == 429);
        self.charge += record.charge;
        add_to(&mut self.by_operation, record.operation().to_owned(), record.charge);
        if let Some(container) = record.container() {
            let partition = record.partition.as_deref().unwrap_or("several");
            add_to(&mut self.by_partition, format!("{container}/{partition}"), record.charge);
        }
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("second", integer(self.second));
        object.insert("requests", integer(self.requests));
        object.insert("throttled", integer(self.throttled));
        object.insert("requestUnits", decimal(self.charge));
        object.insert("byOperation", sums(&self.by_operation));
        object.insert("byPartition", sums(&self.by_partition));
        Json::Object(object)
    }
}

fn add_to(sums: &mut BTreeMap<String, f64>, key: String, charge: f64) {
    let key =
        if sums.len() < KEYS_MAX || sums.contains_key(&key) { key } else { "other".to_owned() };
    *sums.entry(key).or_default() += charge;
}

fn sums(sums: &BTreeMap<String, f64>) -> Json {
    let mut object = Object::new();
    for (key, charge) in sums {
        object.insert(key.as_str(), decimal(*charge));
    }
    Json::Object(object)
}

fn decimal(number: f64) -> Json {
    Number::from_f64((number * 100.0).round() / 100.0).map_or(Json::Null, Json::Number)
}
