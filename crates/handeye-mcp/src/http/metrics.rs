//! What is counted of a server: nothing but numbers, by names of this program's own.

use handeye_core::ErrorCode;
use handeye_service::tally::Tally;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The upper ends of what durations are counted in, in seconds: a look, a click with its evidence, a wait, the end of every call.
const SECONDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 600.0];

/// The labels of a call. There are as many as tools and codes of errors: no client can add one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfCall {
    tool: &'static str,
    outcome: &'static str,
}

/// The labels of a duration.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfTool {
    tool: &'static str,
}

/// The labels of a request that was not let in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRefusal {
    reason: &'static str,
}

/// The counts of a server.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    calls: Family<OfCall, Counter>,
    durations: Family<OfTool, Histogram>,
    blocked: Counter,
    limited: Counter,
    refused: Family<OfRefusal, Counter>,
    /// Open connections.
    pub(super) connections: Gauge,
    /// Those that have come with a valid token.
    pub(super) authenticated: Gauge,
    /// Sessions of clients before 2026-07-28.
    pub(super) sessions: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let durations: Family<OfTool, Histogram> = Family::new_with_constructor(|| Histogram::new(SECONDS));
        let mut metrics = Self {
            registry: Registry::default(),
            calls: Family::default(),
            durations,
            blocked: Counter::default(),
            limited: Counter::default(),
            refused: Family::default(),
            connections: Gauge::default(),
            authenticated: Gauge::default(),
            sessions: Gauge::default(),
        };
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let registry = &mut metrics.registry;
        registry.register_with_unit(
            "process_start_time",
            "When the server began, since 1970",
            Unit::Seconds,
            ConstGauge::new(began),
        );
        registry.register("handeye_calls", "Calls by tool and outcome", metrics.calls.clone());
        registry.register_with_unit(
            "handeye_call_duration",
            "How long calls took",
            Unit::Seconds,
            metrics.durations.clone(),
        );
        registry.register("handeye_blocked_calls", "Calls that the policy forbids", metrics.blocked.clone());
        registry.register(
            "handeye_rate_limited_calls",
            "Calls beyond the limits of their caller",
            metrics.limited.clone(),
        );
        registry.register(
            "handeye_http_refused_requests",
            "Requests without a valid token",
            metrics.refused.clone(),
        );
        registry.register("handeye_http_connections", "Open connections", metrics.connections.clone());
        registry.register(
            "handeye_http_authenticated_connections",
            "Open connections that have come with a valid token",
            metrics.authenticated.clone(),
        );
        registry.register(
            "handeye_http_sessions",
            "Open sessions of clients before 2026-07-28",
            metrics.sessions.clone(),
        );
        metrics
    }
}

impl Metrics {
    /// Counts a request that was not let in.
    pub(super) fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&OfRefusal { reason }).inc();
    }

    /// All of them, as `OpenMetrics` has it.
    pub(super) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Tally for Metrics {
    fn ended(&self, tool: &'static str, outcome: &'static str, duration: Duration) {
        self.calls.get_or_create(&OfCall { tool, outcome }).inc();
        self.durations.get_or_create(&OfTool { tool }).observe(duration.as_secs_f64());
        if outcome == ErrorCode::Blocked.as_str() {
            self.blocked.inc();
        } else if outcome == ErrorCode::RateLimitExceeded.as_str() {
            self.limited.inc();
        }
    }
}

/// One of what is counted, for as long as it lives.
#[derive(Debug)]
pub(super) struct Present(Gauge);

impl Present {
    pub(super) fn of(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_tool_and_outcome() {
        let metrics = Metrics::default();
        metrics.ended("ax_find", "ok", Duration::from_millis(20));
        metrics.ended("ax_find", "blocked", Duration::from_millis(1));
        metrics.ended("ax_click", "rate_limit_exceeded", Duration::ZERO);
        let session = Present::of(&metrics.sessions);
        let text = metrics.text().expect("text");
        for line in [
            "handeye_calls_total{tool=\"ax_find\",outcome=\"ok\"} 1",
            "handeye_call_duration_seconds_count{tool=\"ax_find\"} 2",
            "handeye_call_duration_seconds_bucket{le=\"0.01\",tool=\"ax_find\"} 1",
            "handeye_blocked_calls_total 1",
            "handeye_rate_limited_calls_total 1",
            "handeye_http_sessions 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        drop(session);
        assert!(metrics.text().expect("text").contains("handeye_http_sessions 0"));
    }
}
