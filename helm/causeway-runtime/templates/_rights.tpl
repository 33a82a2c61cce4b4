{{/* RBAC rules of each part. helm/OPERATING.md gives the reasons. */}}

{{- define "runtime.applicationRules" -}}
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [list, watch]
{{- end -}}

{{/* Involved objects of events and their owners; only metadata is read. */}}
{{- define "runtime.ownerRules" -}}
- apiGroups: [""]
  resources: [pods, services, endpoints, persistentvolumeclaims, replicationcontrollers]
  verbs: [get]
- apiGroups: [apps]
  resources: [deployments, statefulsets, daemonsets, replicasets]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs, cronjobs]
  verbs: [get]
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get]
- apiGroups: [networking.k8s.io]
  resources: [ingresses]
  verbs: [get]
- apiGroups: [argoproj.io]
  resources: [rollouts, analysisruns, workflows, cronworkflows, applicationsets, appprojects]
  verbs: [get]
{{- end -}}

{{- define "runtime.resourceRules" -}}
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [get]
- apiGroups: [argoproj.io]
  resources: [rollouts, analysisruns, workflows, applicationsets, appprojects]
  verbs: [list, watch]
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [list, watch]
{{- range index .Values "resource-event-reporter" "kinds" }}
{{- $resource := first (splitList "/" .) }}
{{- $words := splitn "." 2 $resource }}
- apiGroups: [{{ $words._1 | default "" | quote }}]
  resources: [{{ $words._0 }}]
  verbs: [list, watch]
{{- end }}
{{ include "runtime.ownerRules" . }}
{{- end -}}

{{- define "runtime.appProxyRules" -}}
{{- $values := index .Values "app-proxy" -}}
{{- $actions := include "runtime.actions" . | fromJsonArray -}}
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [get, list, patch{{ if has "delete" $actions }}, delete{{ end }}]
{{- range $values.readable }}
- apiGroups: {{ toJson .apiGroups }}
  resources: {{ toJson .resources }}
  verbs: [get]
{{- end }}
{{- if has "logs" $actions }}
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
{{- if has "exec" $actions }}
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
- apiGroups: [""]
  resources: [pods/exec]
  verbs: [get, create]
{{- end }}
{{- if has "resource-delete" $actions }}
{{- range $values.deletable }}
- apiGroups: {{ toJson .apiGroups }}
  resources: {{ toJson .resources }}
  verbs: [delete]
{{- end }}
{{- end }}
{{- if has "rollout" $actions }}
- apiGroups: [argoproj.io]
  resources: [rollouts, rollouts/status]
  verbs: [patch]
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list]
{{- end }}
{{- if has "workflow" $actions }}
- apiGroups: [argoproj.io]
  resources: [workflows]
  verbs: [create, patch]
- apiGroups: [argoproj.io]
  resources: [workflowtemplates, cronworkflows]
  verbs: [get]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, delete]
{{- end }}
{{- end -}}

{{/* Integrations: Secrets beside the release. RBAC cannot tell them from its other Secrets. */}}
{{- define "runtime.integrationRules" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, create, delete]
{{- end -}}

{{/* Applications in the namespaces of Git sources; every namespace may become one. */}}
{{- define "runtime.gitSourceWatchRules" -}}
- apiGroups: [argoproj.io]
  resources: [applications, applicationsets]
  verbs: [list, watch]
{{- end -}}

{{/* What a Git source consists of, in the namespace of Argo CD. The reference's kind is read where it is installed. */}}
{{- define "runtime.gitSourceRules" -}}
- apiGroups: [argoproj.io]
  resources: [applications, appprojects]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [causeway.dev, codefresh.io]
  resources: [restrictedgitsources]
  verbs: [get, list, watch, patch]
- apiGroups: [causeway.dev, codefresh.io]
  resources: [restrictedgitsources/status, restrictedgitsources/finalizers]
  verbs: [patch, update]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end -}}

{{/* Git sources of users, in the namespace of Argo CD. */}}
{{- define "runtime.gitSourceUserRules" -}}
{{- $actions := include "runtime.actions" . | fromJsonArray -}}
- apiGroups: [causeway.dev, codefresh.io]
  resources: [restrictedgitsources]
  verbs: [get, list{{ if has "git-source" $actions }}, create, patch, delete{{ end }}]
{{- end -}}

{{/* Rules of the preflight Job in the runtime's namespaces. */}}
{{- define "runtime.preflightRules" -}}
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [list]
{{- if eq .Values.scope.mode "cluster" }}
{{- if not .Values.argocd.namespace }}
{{ include "runtime.findArgocdRules" . }}
{{- end }}
{{- if eq .Values.access.mode "ingress" }}
- apiGroups: [networking.k8s.io]
  resources: [ingressclasses]
  verbs: [list]
{{- end }}
{{- if eq .Values.access.mode "httpRoute" }}
- apiGroups: [gateway.networking.k8s.io]
  resources: [gateways]
  resourceNames: [{{ (first .Values.access.httpRoute.parentRefs).name }}]
  verbs: [get]
{{- end }}
{{- end }}
{{- end -}}

{{/* Rules for reading Argo CD's version. */}}
{{- define "runtime.findArgocdRules" -}}
- apiGroups: [apps]
  resources: [deployments]
  verbs: [list]
{{- end -}}
