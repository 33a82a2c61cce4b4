/** Git: hosts, integrations, and credentials that only a runtime can open. */
export { keyId, sealCredential, type TypedCredential } from "./credential";
export { commitUrl, factsOf, providers, type ProviderFacts } from "./providers";
export { fitting, repositoryBy, urlProblem } from "./repository";
export { hasPullRequests, mergeabilityText, pullRequestState } from "./pullRequests";
export { useGitReason, type GitPermission } from "./useGitReason";
export { useIntegrations } from "./useIntegrations";
