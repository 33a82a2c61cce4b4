//! What Causeway relies on in Kubernetes and in Argo CD: each behaviour is written once and run on two targets.
//!
//! A behaviour is an `async fn(&World)` that asserts what the real thing does. Every one is a test twice, as `sandbox::…`
//! and as `real::…`. Where the two differ and stay so, `DIFFERENCES.md` has a row with the reason, and the behaviour asks
//! [`target::World::differs`] for it by name.

#[cfg(test)]
mod argocd;
#[cfg(test)]
mod differences;
#[cfg(test)]
mod kubernetes;
#[cfg(test)]
mod target;

/// Makes a test of each behaviour in the modules that are listed; `on_target` of the module around it says where it runs.
#[cfg(test)]
macro_rules! suite {
    ($area:ident { $($topic:ident { $($behaviour:ident,)+ })+ }) => {
        mod $area {
            $(mod $topic {
                $(#[test]
                fn $behaviour() {
                    super::super::on_target(crate::$area::$topic::$behaviour);
                })+
            })+
        }
    };
}
#[cfg(test)]
use suite;

#[cfg(test)]
mod sandbox {
    use crate::target::on_sandbox as on_target;
    crate::argocd::behaviours!(on_sandbox);
    crate::kubernetes::behaviours!();
}

#[cfg(test)]
mod real {
    use crate::target::on_real as on_target;
    crate::argocd::behaviours!(on_real);
    crate::kubernetes::behaviours!();
}
