{{/*
How texts among the values are written. The schema of the values would refuse others by an expression alone; here each has a sentence
that says how it is written instead. The same file stands in both charts. What may be left empty has a form that takes that; an
entry of a list has one that does not.
*/}}

{{- define "causeway.forms" -}}
url:
  pattern: '^(https?://[^/ ]+/?)?$'
  sentence: "is not where something is found: write https://HOST or https://HOST:PORT, with no path"
object:
  pattern: '^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$'
  sentence: "is no name of an object: write small letters, digits, '-' and '.', 253 at most"
one-object:
  pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$'
  sentence: "is no name of an object: write small letters, digits, '-' and '.', 253 at most"
key:
  pattern: '^[-._a-zA-Z0-9]+$'
  sentence: "is no key of a Secret or a ConfigMap: write letters, digits, '-', '_' and '.'"
namespace:
  pattern: '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$'
  sentence: "is no namespace: write small letters, digits and '-', 63 at most"
one-namespace:
  pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'
  sentence: "is no namespace: write small letters, digits and '-', 63 at most"
beginning:
  pattern: '^([a-z]([-a-z0-9]*[a-z0-9])?)?$'
  sentence: "is nothing that names begin with: write small letters, digits and '-', of which the first is a letter"
host:
  pattern: '^[a-z0-9*]([-a-z0-9.]*[a-z0-9])?$'
  sentence: "is no host name: write it as in causeway.example.com"
network:
  pattern: '^[0-9a-fA-F.:]+/[0-9]+$'
  sentence: "is no network: write ADDRESS/BITS, for example 10.0.0.0/8"
flag:
  pattern: '^--[a-z]'
  sentence: "is no flag: write --NAME or --NAME=VALUE"
tunnel:
  pattern: '^(wss://[^ ]+)?$'
  sentence: "is not where a tunnel server is found: write wss://HOST/tunnel/v1 or wss://HOST:PORT/tunnel/v1"
digest:
  pattern: '^(sha256:[0-9a-f]{64})?$'
  sentence: "is no digest of an image: write sha256: and 64 digits of 0 to 9 and a to f"
duration:
  pattern: '^( *[0-9]+(\.[0-9]+)? *(nanos|nsec|ns|usec|us|millis|msec|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|M|months?|y|yrs?|years?) *)+$'
  sentence: "is no time: write a number and a unit, for example 30s, 12h or 7d"
interval:
  pattern: '^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\b$'
  sentence: "is no time of Prometheus: write a number and a unit of y, w, d, h, m, s or ms, for example 30s or 1m30s"
variable:
  pattern: '^OTEL_[A-Z0-9_]+$'
  sentence: "is no variable of OpenTelemetry: write one that begins with OTEL_"
{{- end -}}

{{/* What is held to them in both charts, as lines of PATH FORM: of a list each entry, of a map each name, and by * each value. What a path
leads through must be there, but for lists and maps of names; of a path without a form nothing else is asked. */}}
{{- define "causeway.held" -}}
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

{{/* Refuses all texts that are not as they are to be written, together. */}}
{{- define "causeway.hold" -}}
{{- $forms := merge (include "causeway.forms" . | fromYaml) (include "chart.forms" . | fromYaml) -}}
{{- $wrong := list -}}
{{- range splitList "\n" (printf "%s\n%s" (include "causeway.held" .) (include "chart.held" .)) -}}
{{- $words := splitList " " . -}}
{{- $form := get $forms (last $words) -}}
{{- $found := list $.Values -}}
{{- $way := list -}}
{{- range splitList "." (first $words) -}}
{{- $key := . -}}
{{- $below := list -}}
{{- range $found -}}
{{- if and (kindIs "invalid" .) (ne $key "*") (not (has (join "." $way) (list "imagePullSecrets" "runtimes.urls"))) -}}
{{- $wrong = append $wrong (printf "%s: leave it out instead of null" (join "." $way)) -}}
{{- else if kindIs "map" . -}}
{{- $value := ternary (values .) (index . $key) (eq $key "*") -}}
{{- if kindIs "slice" $value -}}{{- $below = concat $below $value -}}{{- else -}}{{- $below = append $below $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $found = $below -}}
{{- $way = append $way $key -}}
{{- end -}}
{{- if $form -}}
{{- range $found -}}
{{- $texts := list . -}}
{{- if kindIs "map" . -}}{{- $texts = keys . | sortAlpha -}}{{- end -}}
{{- range $texts -}}
{{- if and (kindIs "string" .) (not (regexMatch $form.pattern .)) -}}
{{- $wrong = append $wrong (printf "%s: '%s' %s" (first $words) (regexReplaceAll "(?s)//.*@" . "//…@") $form.sentence) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $wrong -}}
{{- fail ($wrong | uniq | join "\n") -}}
{{- end -}}
{{- end -}}
