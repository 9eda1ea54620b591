//! Stored procedures: one call, one transaction.
//!
//! Owns the operation, how often it is repeated when others have changed what it read, and its charge.

use std::sync::Arc;

use model::RequestCharge;
use model::charge::script_charge;

use super::load::{no_runtime, source};
use super::session::{ScriptSession, SessionEnd, SessionIsolation};
use super::step::ScriptRequest;
use crate::catalog::{AttachedKind, ContainerEntry};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::item::{check_partition_key, locate, logical_partition, point_response};
use crate::metering::{Amount, OperationKind};
use crate::operation::ExecuteProcedure;
use crate::response::{ProcedureResult, Response};
use crate::script_runtime::{ScriptPurpose, ScriptSource};
use crate::throughput::Admission;

/// How often a script runs at most.
const ATTEMPTS_MAX: usize = 16;

/// From this attempt on, writes of others to the logical partition wait while the script runs.
const RESERVE_FROM_ATTEMPT: usize = 3;

impl Engine {
    /// Runs a stored procedure as one transaction on one logical partition: everything it writes is committed together,
    /// or nothing is.
    ///
    /// # Errors
    /// `ScriptFailed` for what it throws, `OutOfTime` and `TooLarge` for its limits, `NotFound` if there is none,
    /// `Unsupported` without a script runtime (`Environment::with_scripts`).
    pub async fn execute_procedure(
        &self,
        operation: ExecuteProcedure,
    ) -> Result<Response<ProcedureResult>> {
        let container = self.container(&operation.container)?;
        check_partition_key(&container.identity, &operation.partition_key)?;
        let kind = AttachedKind::StoredProcedure;
        let procedure = self.load_script(&container, kind, &operation.procedure).await?;
        let runtime = self.environment().scripts();
        let runtime =
            runtime.ok_or_else(|| no_runtime(&format!("The procedure '{}'", procedure.id)))?;
        let target = logical_partition(&container.identity, &operation.partition_key);
        let epk = container.identity.definition.effective(&operation.partition_key);
        let partition = locate(&container, &epk)?;
        let request = self.metered(OperationKind::Procedure);
        let (throughput, logical) = (&container.throughput, Some(target.partition_ref()));
        let admission = Admission::new(throughput, &partition.throughput, request, logical)?;
        let request = ScriptRequest::new(self, runtime, operation.wants_log);
        let result = self.run_procedure(&container, operation, source(&procedure), request).await;
        admission.finish(result, |result| Amount { items: result.written, bytes: 0 })
    }

    async fn run_procedure(
        &self,
        container: &Arc<ContainerEntry>,
        operation: ExecuteProcedure,
        script: ScriptSource,
        mut request: ScriptRequest,
    ) -> Result<Response<ProcedureResult>> {
        let ExecuteProcedure { partition_key, arguments, .. } = operation;
        let mut spent = RequestCharge::ZERO;
        for attempt in 0..ATTEMPTS_MAX {
            request.log.clear();
            let isolation = isolation_of(attempt);
            let mut session =
                ScriptSession::open(self, container, &partition_key, isolation).await?;
            let purpose = ScriptPurpose::Procedure { arguments: arguments.clone() };
            let output = session.run(&mut request, script.clone(), purpose).await;
            let base = script_charge(request.elapsed());
            let output = match output {
                Ok(output) => output,
                Err(SessionEnd::Changed) => continue,
                Err(SessionEnd::Failed(error)) => {
                    let charge = spent + session.read_charge + base;
                    return Err(error.with_charge(charge).with_script_log(&request.log));
                }
            };
            let read = session.read_charge;
            match session.commit().await {
                Ok(committed) => {
                    let value = ProcedureResult {
                        body: output.body,
                        log: request.wants_log.then(|| request.log.clone()),
                        written: committed.results.len(),
                    };
                    let charge = spent + committed.charge + base;
                    return Ok(point_response(value, charge, committed.partition, committed.lsn));
                }
                // What was read in vain has been read.
                Err(SessionEnd::Changed) => spent += read,
                Err(SessionEnd::Failed(error)) => return Err(error.with_charge(spent + base)),
            }
        }
        Err(changed_too_often().with_charge(spent))
    }
}

pub(super) fn isolation_of(attempt: usize) -> SessionIsolation {
    if attempt < RESERVE_FROM_ATTEMPT {
        SessionIsolation::Optimistic
    } else {
        SessionIsolation::Reserved
    }
}

pub(super) fn attempts() -> std::ops::Range<usize> {
    0..ATTEMPTS_MAX
}

pub(super) fn changed_too_often() -> Error {
    Error::new(
        ErrorKind::OutOfTime,
        format!(
            "Request timed out: other requests changed what the script has read, each of the {ATTEMPTS_MAX} times that \
             it ran. Retry, or read less."
        ),
    )
}
