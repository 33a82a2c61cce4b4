{{/*
Formats of values, with an error sentence for each. The JSON schema would only quote a regular expression. Optional values
have a format that matches the empty string; list entries have one that does not.
*/}}

{{- define "causeway.formats" -}}
url:
  pattern: '^(https?://[^/ ]+/?)?$'
  sentence: "is not a valid URL; write https://HOST or https://HOST:PORT, without a path"
object:
  pattern: '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$'
  sentence: "is not a valid object name; use lowercase letters, digits, '-' and '.', at most 253 characters"
one-object:
  pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$'
  sentence: "is not a valid object name; use lowercase letters, digits, '-' and '.', at most 253 characters"
key:
  pattern: '^[-._a-zA-Z0-9]+$'
  sentence: "is not a valid key of a Secret or ConfigMap; use letters, digits, '-', '_' and '.'"
namespace:
  pattern: '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$'
  sentence: "is not a valid namespace; use lowercase letters, digits and '-', at most 63 characters"
one-namespace:
  pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'
  sentence: "is not a valid namespace; use lowercase letters, digits and '-', at most 63 characters"
beginning:
  pattern: '^([a-z]([-a-z0-9]*[a-z0-9])?)?$'
  sentence: "is not a valid name prefix; use lowercase letters, digits and '-', starting with a letter"
host:
  pattern: '^[a-z0-9*]([-a-z0-9.]*[a-z0-9])?$'
  sentence: "is not a valid host name; for example causeway.example.com"
network:
  pattern: '^[0-9a-fA-F.:]+/[0-9]+$'
  sentence: "is not a valid CIDR; for example 10.0.0.0/8"
flag:
  pattern: '^--[a-z]'
  sentence: "is not a flag; write --NAME or --NAME=VALUE"
tunnel:
  pattern: '^(wss://[^ ]+)?$'
  sentence: "is not a valid tunnel server URL; write wss://HOST/tunnel/v1 or wss://HOST:PORT/tunnel/v1"
digest:
  pattern: '^(sha256:[0-9a-f]{64})?$'
  sentence: "is not a valid image digest; write sha256: and 64 hexadecimal digits"
duration:
  pattern: '^( *[0-9]+(\.[0-9]+)? *(nanos|nsec|ns|usec|us|millis|msec|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|M|months?|y|yrs?|years?) *)+$'
  sentence: "is not a valid duration; for example 30s, 12h or 7d"
interval:
  pattern: '^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\b$'
  sentence: "is not a valid Prometheus duration; for example 30s or 1m30s"
variable:
  pattern: '^OTEL_[A-Z0-9_]+$'
  sentence: "is not an OpenTelemetry variable; its name must start with OTEL_"
{{- end -}}

{{/* Values checked in both charts, as lines of PATH FORMAT: every entry of a list, every name of a map, and with * every value. Sections on a
path must not be null, except lists and maps. A path without a format checks only that. */}}
{{- define "causeway.checked" -}}
image.digest digest
imagePullSecrets.name one-object
ca.existingSecret object
ca.existingConfigMap object
ca.key key
proxy.url url
telemetry variable
networkPolicy.outside network
metrics.interval interval
log.format
fullnameOverride beginning
{{- end -}}

{{/* Fails with all values that do not match their format. */}}
{{- define "causeway.validate" -}}
{{- $formats := merge (include "causeway.formats" . | fromYaml) (include "chart.formats" . | fromYaml) -}}
{{- $errors := list -}}
{{- range splitList "\n" (printf "%s\n%s" (include "causeway.checked" .) (include "chart.checked" .)) -}}
{{- $words := splitList " " . -}}
{{- $format := get $formats (last $words) -}}
{{- $found := list $.Values -}}
{{- $way := list -}}
{{- range splitList "." (first $words) -}}
{{- $key := . -}}
{{- $below := list -}}
{{- range $found -}}
{{- if and (kindIs "invalid" .) (ne $key "*") (not (has (join "." $way) (list "imagePullSecrets" "runtimes.urls"))) -}}
{{- $errors = append $errors (printf "%s: leave it out instead of null" (join "." $way)) -}}
{{- else if kindIs "map" . -}}
{{- $value := ternary (values .) (index . $key) (eq $key "*") -}}
{{- if kindIs "slice" $value -}}{{- $below = concat $below $value -}}{{- else -}}{{- $below = append $below $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $found = $below -}}
{{- $way = append $way $key -}}
{{- end -}}
{{- if $format -}}
{{- range $found -}}
{{- $texts := list . -}}
{{- if kindIs "map" . -}}{{- $texts = keys . | sortAlpha -}}{{- end -}}
{{- range $texts -}}
{{- if and (kindIs "string" .) (not (regexMatch $format.pattern .)) -}}
{{- $errors = append $errors (printf "%s: '%s' %s" (first $words) (regexReplaceAll "(?s)//.*@" . "//…@") $format.sentence) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $errors -}}
{{- fail ($errors | uniq | join "\n") -}}
{{- end -}}
{{- end -}}
