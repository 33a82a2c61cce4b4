{{/* Flags and volumes of the runtime's parts. */}}

{{/* Formats of values of this chart only. */}}
{{- define "chart.formats" -}}
server:
  pattern: '^(auto|https?://[^ ]+)$'
  sentence: "is not a valid argocd-server address; write auto, https://HOST or https://HOST:PORT"
repository:
  pattern: '^https?://[^/@, ]+(/[^ ]*)?$'
  sentence: "is not a valid repository URL; write https://HOST/PATH, without a password"
right:
  pattern: '^ *(read|sync|refresh|terminate|rollback|delete|update|logs|exec|resource-action|resource-delete|rollout|workflow|git-read|commit|integration|git-source)(\+(read|sync|refresh|terminate|rollback|delete|update|logs|exec|resource-action|resource-delete|rollout|workflow|git-read|commit|integration|git-source))*(:((user|project|namespace|name|cluster)=[^:,]+|label\.[^:,=]+=[^:,*?]+))* *(, *(read|sync|refresh|terminate|rollback|delete|update|logs|exec|resource-action|resource-delete|rollout|workflow|git-read|commit|integration|git-source)(\+(read|sync|refresh|terminate|rollback|delete|update|logs|exec|resource-action|resource-delete|rollout|workflow|git-read|commit|integration|git-source))*(:((user|project|namespace|name|cluster)=[^:,]+|label\.[^:,=]+=[^:,*?]+))* *)*$'
  sentence: "is not a valid entry; actions: read, sync, refresh, terminate, rollback, delete, update, logs, exec, resource-action, resource-delete, rollout, workflow, git-read, commit, integration, git-source; join actions with + and add selectors after :, for example sync+rollback:project=shop:namespace=team-*"
git-rule:
  pattern: '^(https|ssh)://[^;, ]+(;(branch|path)=[^;, ]+)*$'
  sentence: "is not a valid rule; write REPOSITORY[;branch=PATTERN][;path=PATTERN], for example https://git.example.com/shop/*;branch=main;path=apps/*"
size:
  pattern: '^[1-9][0-9]*(Mi|Gi|Ti)$'
  sentence: "is not a valid size; write a number and a unit, for example 3Gi"
git:
  pattern: '^[^=]+=[a-z-]+$'
  sentence: "is not a valid Git server; write HOST=KIND, for example git.example.com=gitlab"
route:
  pattern: '^[a-z0-9-]{1,63}=(github|gitlab|bitbucket-cloud|bitbucket-data-center|azure-devops|gitea|standard)(:[0-9]+)?$'
  sentence: "is not a valid webhook route; write NAME=PROVIDER, for example github=github or shop=gitlab:2097152; providers: github, gitlab, bitbucket-cloud, bitbucket-data-center, azure-devops, gitea, standard"
cluster:
  pattern: '^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?$'
  sentence: "is not a valid cluster name; use lowercase letters, digits and '-', at most 50 characters"
kind:
  pattern: '^[a-z0-9-]+(\.[a-z0-9.-]+)?/v[a-z0-9]+$'
  sentence: "is not a valid kind; write PLURAL.GROUP/VERSION, for example cronworkflows.argoproj.io/v1alpha1"
{{- end -}}

{{/* Values checked by these formats, as lines of PATH FORMAT. */}}
{{- define "chart.checked" -}}
platform.url url
platform.release object
platform.namespace namespace
joinToken.existingSecret object
joinToken.key key
preflight.gitUrls repository
scope.namespaces one-namespace
argocd.namespace namespace
argocd.others one-namespace
argocd.server server
argocd.token.existingSecret object
argocd.token.key key
argocd.tls.existingSecret object
argocd.tls.key key
access.url url
access.ingress.tlsSecret object
access.httpRoute.hostnames host
app-proxy.allow right
app-proxy.allowGit git-rule
app-proxy.git.size size
source-server.gitHosts git
event-source.routes route
event-source.secrets.existingSecret object
event-source.persistence.existingClaim object
tunnel-client.url tunnel
resource-event-reporter.kinds kind
resource-event-reporter.managedClusters cluster
redaction.existingConfigMap object
resource-event-reporter.managedClusters.* one-object
key-keeper.extraArgs flag
app-proxy.extraArgs flag
source-server.extraArgs flag
event-source.extraArgs flag
request-router.extraArgs flag
tunnel-client.extraArgs flag
application-event-reporter.extraArgs flag
resource-event-reporter.extraArgs flag
gitops-operator.extraArgs flag
identity.keep
{{- end -}}

{{- define "runtime.parts" -}}
{{- $parts := list "app-proxy" "source-server" "request-router" "application-event-reporter" "resource-event-reporter" -}}
{{- if (index .Values "event-source").enabled -}}{{- $parts = append $parts "event-source" -}}{{- end -}}
{{- if eq .Values.access.mode "tunnel" -}}{{- $parts = append $parts "tunnel-client" -}}{{- end -}}
{{- if (index .Values "gitops-operator").enabled -}}{{- $parts = append $parts "gitops-operator" -}}{{- end -}}
{{- toJson $parts -}}
{{- end -}}

{{- define "runtime.platformUrl" -}}
{{- if .Values.platform.release -}}
http://{{ .Values.platform.release }}-request-router.{{ .Values.platform.namespace | default .Release.Namespace }}.svc:7500
{{- else -}}
{{- trimSuffix "/" .Values.platform.url -}}
{{- end -}}
{{- end -}}

{{/* Namespace of Argo CD: the value, the release's for a new one, found by labels, or `argocd`. */}}
{{- define "runtime.argocdNamespace" -}}
{{- $found := list -}}
{{- if and (not .Values.argocd.namespace) (not (index .Values "argo-cd").enabled) (eq .Values.scope.mode "cluster") -}}
{{- range ((lookup "v1" "Service" "" "").items | default list) -}}
{{- if eq (dig "metadata" "labels" "app.kubernetes.io/name" "" .) "argocd-server" -}}
{{- $found = append $found .metadata.namespace -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if gt (len (uniq $found)) 1 -}}
{{- fail (printf "found an Argo CD in each of the namespaces %s; set argocd.namespace to the one of your token (applications of all of them are reported)" (uniq $found | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if (index .Values "argo-cd").enabled -}}
{{ .Release.Namespace }}
{{- else -}}
{{- .Values.argocd.namespace | default (first $found) | default "argocd" -}}
{{- end -}}
{{- end -}}

{{/* Namespaces of a namespaced runtime. */}}
{{- define "runtime.namespaces" -}}
{{- concat (list (include "runtime.argocdNamespace" .)) .Values.argocd.others .Values.scope.namespaces | uniq | toJson -}}
{{- end -}}

{{/* All namespaces with an Argo CD. */}}
{{- define "runtime.argocdNamespaceFlags" -}}
{{- $flags := list -}}
{{- range concat (list (include "runtime.argocdNamespace" .)) .Values.argocd.others | uniq -}}
{{- $flags = append $flags (printf "--argocd-namespace=%s" .) -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{/* Flags for the cluster's name and the watched namespaces. */}}
{{- define "runtime.watchFlags" -}}
{{- $flags := list (printf "--cluster=%s" .Values.clusterName) -}}
{{- if eq .Values.scope.mode "namespaced" -}}
{{- $flags = append $flags (printf "--watch-namespaces=%s" (include "runtime.namespaces" . | fromJsonArray | join ",")) -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "runtime.keyFlags" -}}
{{- list "--runtime-folder=/runtime" "--part-key=/runtime/part.pem" | toJson -}}
{{- end -}}

{{/* Flags of Git; the Secrets of integrations lie beside the release. */}}
{{- define "runtime.gitFlags" -}}
{{- $flags := list -}}
{{- if (index .Values "app-proxy").git.enabled -}}
{{- $flags = list "--git-folder=/git" (printf "--integration-namespace=%s" .Release.Namespace) -}}
{{- range (index .Values "app-proxy").allowGit -}}{{- $flags = append $flags (printf "--allow-git=%s" .) -}}{{- end -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{/* The folder for clones. What is lost with a pod is found again by the trailers of commits. */}}
{{- define "runtime.gitVolume" -}}
{{- if (index .Values "app-proxy").git.enabled }}
- name: git
  emptyDir:
    sizeLimit: {{ (index .Values "app-proxy").git.size }}
{{- end }}
{{- end -}}

{{- define "runtime.gitMount" -}}
{{- if (index .Values "app-proxy").git.enabled }}
- name: git
  mountPath: /git
{{- end }}
{{- end -}}

{{- define "runtime.redactionFlags" -}}
{{- $flags := list -}}
{{- if .Values.redaction.existingConfigMap -}}{{- $flags = append $flags "--redaction-rules=/etc/causeway/redaction/rules.yaml" -}}{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "runtime.argocdFlags" -}}
{{- $argocd := .Values.argocd -}}
{{- $flags := list (printf "--argocd-namespace=%s" (include "runtime.argocdNamespace" .)) -}}
{{- if $argocd.token.existingSecret -}}
{{- $flags = concat $flags (list (printf "--argocd-server=%s" $argocd.server) "--argocd-token-file=/etc/causeway/argocd/token" (printf "--argocd-tls-check=%s" $argocd.tls.check)) -}}
{{- if $argocd.tls.existingSecret -}}
{{- $flags = append $flags "--argocd-ca-file=/etc/causeway/argocd-ca/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{/* Volume with the part's key, the runtime's public identity and, for reporters, the redaction secret: dict root, part. The pod waits for it. */}}
{{- define "runtime.keyVolume" -}}
- name: runtime
  secret:
    secretName: {{ include "causeway.name" . }}-key
    defaultMode: 0440
    items:
      - {key: part.pem, path: part.pem}
      - {key: runtime.json, path: runtime.json}
      {{- if and (eq .part "app-proxy") (index .root.Values "app-proxy").git.enabled }}
      - {key: sealing.pem, path: sealing.pem}
      {{- end }}
      {{- if has .part (list "app-proxy" "source-server" "application-event-reporter" "resource-event-reporter") }}
      - {key: redaction.key, path: redaction.key}
      {{- end }}
{{- end -}}

{{- define "runtime.keyMount" -}}
- name: runtime
  mountPath: /runtime
  readOnly: true
{{- end -}}

{{- define "runtime.argocdVolumes" -}}
{{- $argocd := .Values.argocd -}}
{{- if $argocd.token.existingSecret }}
- name: argocd
  secret:
    secretName: {{ $argocd.token.existingSecret }}
    defaultMode: 0440
    items:
      - {key: {{ $argocd.token.key }}, path: token}
{{- if $argocd.tls.existingSecret }}
- name: argocd-ca
  secret:
    secretName: {{ $argocd.tls.existingSecret }}
    defaultMode: 0440
    items:
      - {key: {{ $argocd.tls.key }}, path: ca.crt}
{{- end }}
{{- end }}
{{- end -}}

{{- define "runtime.argocdMounts" -}}
{{- if .Values.argocd.token.existingSecret }}
- name: argocd
  mountPath: /etc/causeway/argocd
  readOnly: true
{{- if .Values.argocd.tls.existingSecret }}
- name: argocd-ca
  mountPath: /etc/causeway/argocd-ca
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "runtime.redactionVolume" -}}
{{- with .Values.redaction.existingConfigMap }}
- name: redaction
  configMap:
    name: {{ . }}
{{- end }}
{{- end -}}

{{- define "runtime.redactionMount" -}}
{{- if .Values.redaction.existingConfigMap }}
- name: redaction
  mountPath: /etc/causeway/redaction
  readOnly: true
{{- end }}
{{- end -}}

{{/* Egress rule to the platform. */}}
{{- define "runtime.toPlatform" -}}
{{- if .Values.platform.release -}}
- to:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: {{ .Values.platform.namespace | default .Release.Namespace }}
      podSelector:
        matchLabels:
          app.kubernetes.io/part-of: causeway
          app.kubernetes.io/instance: {{ .Values.platform.release }}
  ports:
    - port: 7500
      protocol: TCP
    - port: 7401
      protocol: TCP
{{- else -}}
{{- $ports := list (include "causeway.port" (include "runtime.platformUrl" .)) -}}
{{- with .Values.proxy.url -}}{{- $ports = append $ports (include "causeway.port" .) -}}{{- end -}}
{{- include "causeway.outside" (dict "root" . "ports" $ports) -}}
{{- end -}}
{{- end -}}

{{/* Egress rule to argocd-server. */}}
{{- define "runtime.toArgocd" -}}
{{- if .Values.argocd.token.existingSecret -}}
{{- if eq .Values.argocd.server "auto" -}}
- to:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: {{ include "runtime.argocdNamespace" . }}
      podSelector:
        matchLabels:
          app.kubernetes.io/name: argocd-server
{{- else -}}
{{- $ports := list (include "causeway.port" .Values.argocd.server) "8080" -}}
{{- include "causeway.outside" (dict "root" . "ports" $ports) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Egress rule to Git servers. */}}
{{- define "runtime.toGit" -}}
{{- if (index .Values "app-proxy").git.enabled -}}
{{- include "causeway.outside" (dict "root" . "ports" (index .Values "app-proxy").git.ports) -}}
{{- end -}}
{{- end -}}

{{/* Actions in `app-proxy.allow`, without selectors. */}}
{{- define "runtime.actions" -}}
{{- $actions := list -}}
{{- range splitList "," (index .Values "app-proxy" "allow" | join ",") -}}
{{- $actions = concat $actions (splitList "+" (first (splitList ":" (trim .)))) -}}
{{- end -}}
{{- $actions | uniq | toJson -}}
{{- end -}}

{{/* Volumes of the key keeper. Its folder is in memory; durable keys are in the identity Secret. */}}
{{- define "runtime.folderVolumes" -}}
- name: folder
  emptyDir:
    medium: Memory
    sizeLimit: 1Mi
- name: join-token
  secret:
    secretName: {{ .Values.joinToken.existingSecret | default (printf "%s-join-token" (include "causeway.fullname" .)) }}
    optional: true
    defaultMode: 0440
    items:
      - {key: {{ ternary .Values.joinToken.key "token" (ne .Values.joinToken.existingSecret "") }}, path: token}
{{- end -}}

{{- define "runtime.folderMount" -}}
- name: folder
  mountPath: /runtime
{{- end -}}

{{- define "runtime.join" -}}
- name: join
  image: {{ include "causeway.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args:
    - join
    - --platform-url={{ include "runtime.platformUrl" . }}
    - --join-token-file=/etc/causeway/join/token
    - --runtime-folder=/runtime/keys
    - --runtime-secret={{ include "causeway.fullname" . }}-identity
  env:
    {{- include "causeway.env" . | nindent 4 }}
  securityContext:
    {{- include "causeway.containerSecurity" . | nindent 4 }}
  resources:
    {{- toYaml (index .Values "key-keeper" "resources") | nindent 4 }}
  volumeMounts:
    - name: join-token
      mountPath: /etc/causeway/join
      readOnly: true
    {{- include "runtime.folderMount" . | nindent 4 }}
    {{- include "causeway.caMount" . | nindent 4 }}
{{- end -}}

{{/* Binding of a Role or ClusterRole to a part's ServiceAccount: dict root, part, and namespace for a Role. */}}
{{- define "runtime.roleBinding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (hasKey . "namespace") }}
metadata:
  name: {{ include "runtime.roleName" . }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- . | nindent 4 }}
  {{- end }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ ternary "Role" "ClusterRole" (hasKey . "namespace") }}
  name: {{ include "runtime.roleName" . }}
subjects:
  - kind: ServiceAccount
    name: {{ include "causeway.name" . }}
    namespace: {{ .root.Release.Namespace }}
{{- end -}}

{{/* Name of an object outside the release's namespace; includes the namespace, so that two releases do not collide. */}}
{{- define "runtime.roleName" -}}
{{- if eq (.namespace | default "") .root.Release.Namespace -}}
{{ include "causeway.name" . }}
{{- else -}}
{{ .root.Release.Namespace }}-{{ include "causeway.name" . }}
{{- end -}}
{{- with .suffix }}-{{ . }}{{ end -}}
{{- end -}}

{{/* RBAC of a part in all namespaces, or in each of a namespaced runtime: dict root, part, rules, optional annotations (YAML). */}}
{{- define "runtime.rights" -}}
{{- $root := .root -}}
{{- $part := .part -}}
{{- $rules := .rules -}}
{{- $annotations := .annotations | default "" -}}
{{- $namespaced := eq $root.Values.scope.mode "namespaced" -}}
{{- $places := ternary (include "runtime.namespaces" $root | fromJsonArray) (list "") $namespaced -}}
{{- range $places }}
{{- $of := dict "root" $root "part" $part "annotations" $annotations -}}
{{- if $namespaced }}{{ $_ := set $of "namespace" . }}{{ end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "Role" "ClusterRole" $namespaced }}
metadata:
  name: {{ include "runtime.roleName" $of }}
  {{- with . }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "causeway.labels" $of | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- . | nindent 4 }}
  {{- end }}
rules:
  {{- $rules | nindent 2 }}
---
{{ include "runtime.roleBinding" $of }}
{{- end }}
{{- end -}}

{{/* RBAC of a part in one other namespace: dict root, part, namespace, suffix, rules, optional annotations. */}}
{{- define "runtime.rightsIn" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ include "runtime.roleName" . }}
  namespace: {{ .namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- . | nindent 4 }}
  {{- end }}
rules:
  {{- .rules | nindent 2 }}
---
{{ include "runtime.roleBinding" . }}
{{- end -}}

{{- define "runtime.identifyRules" -}}
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
{{- end -}}

{{- define "runtime.findRules" -}}
- apiGroups: [""]
  resources: [services]
  verbs: [list]
{{- end -}}

{{- define "runtime.allowFlags" -}}
{{- $flags := list -}}
{{- range index .Values "app-proxy" "allow" -}}{{- $flags = append $flags (printf "--allow=%s" .) -}}{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "runtime.gitHostFlags" -}}
{{- $flags := list -}}
{{- range index .Values "source-server" "gitHosts" -}}{{- $flags = append $flags (printf "--git-host=%s" .) -}}{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "runtime.webhookFlags" -}}
{{- $values := index .Values "event-source" -}}
{{- $flags := list -}}
{{- range $values.routes -}}{{- $flags = append $flags (printf "--webhook-route=%s" .) -}}{{- end -}}
{{- if $values.secrets.existingSecret -}}{{- $flags = append $flags "--webhook-secrets=/etc/causeway/webhooks" -}}{{- end -}}
{{- range $values.allow -}}{{- $flags = append $flags (printf "--allow-webhook=%s" .) -}}{{- end -}}
{{- if eq .Values.scope.mode "namespaced" -}}
{{- $flags = append $flags (printf "--watch-namespaces=%s" (include "runtime.namespaces" . | fromJsonArray | join ",")) -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "runtime.webhookMounts" }}
- name: data
  mountPath: /data
{{- if (index .Values "event-source").secrets.existingSecret }}
- name: webhooks
  mountPath: /etc/causeway/webhooks
  readOnly: true
{{- end }}
{{- end -}}

{{- define "runtime.webhookVolumes" }}
{{- $values := index .root.Values "event-source" }}
- name: data
  persistentVolumeClaim:
    claimName: {{ $values.persistence.existingClaim | default (include "causeway.name" .) }}
{{- with $values.secrets.existingSecret }}
- name: webhooks
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{- define "runtime.refreshRules" -}}
- apiGroups: [argoproj.io]
  resources: [applications]
  verbs: [get, list, watch, patch]
{{- end -}}

{{- define "runtime.kindFlags" -}}
{{- $values := index .Values "resource-event-reporter" -}}
{{- $flags := list -}}
{{- range $values.kinds -}}{{- $flags = append $flags (printf "--kind=%s" .) -}}{{- end -}}
{{- range $name, $secret := $values.managedClusters -}}
{{- $flags = append $flags (printf "--managed-cluster=%s=/etc/causeway/clusters/%s/kubeconfig" $name $name) -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "runtime.clusterMounts" -}}
{{- range $name, $secret := index .Values "resource-event-reporter" "managedClusters" }}
- name: cluster-{{ $name }}
  mountPath: /etc/causeway/clusters/{{ $name }}
  readOnly: true
{{- end }}
{{- end -}}

{{- define "runtime.clusterVolumes" -}}
{{- range $name, $secret := index .Values "resource-event-reporter" "managedClusters" }}
- name: cluster-{{ $name }}
  secret:
    secretName: {{ $secret }}
    optional: true
    defaultMode: 0440
    items:
      - {key: kubeconfig, path: kubeconfig}
{{- end }}
{{- end -}}

{{/* Annotations of pre-install hooks with this weight; the objects are deleted when the hooks have succeeded. */}}
{{- define "runtime.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end -}}

{{/* Non-empty if a join token is configured. */}}
{{- define "runtime.hasToken" -}}
{{- if or .Values.joinToken.value .Values.joinToken.existingSecret -}}true{{- end -}}
{{- end -}}

{{/* Flags of the preflight Job. */}}
{{- define "runtime.preflightFlags" -}}
{{- $namespaced := eq .Values.scope.mode "namespaced" -}}
{{- $access := .Values.access -}}
{{- $shown := has $access.mode (list "ingress" "httpRoute") -}}
{{- $flags := list "preflight" "--patience=30s" (printf "--platform-url=%s" (include "runtime.platformUrl" .))
    "--joined=/etc/causeway/joined/runtime.json" (printf "--access=%s" (kebabcase $access.mode)) -}}
{{- /* Who installs is asked by Kubernetes itself, and this account has no rights to give. */ -}}
{{- $skipped := list "permissions" -}}
{{- if include "runtime.hasToken" . -}}
{{- $flags = append $flags "--join-token-file=/etc/causeway/join/token" -}}
{{- end -}}
{{- /* A first installation that failed left a release, and none of the kinds. */ -}}
{{- $unknown := not (.Capabilities.APIVersions.Has "argoproj.io/v1alpha1/Application") -}}
{{- if and (index .Values "argo-cd").enabled (or .Release.IsInstall $unknown) -}}
{{- $flags = append $flags "--new-argocd" -}}
{{- else if or $namespaced .Values.argocd.namespace (index .Values "argo-cd").enabled -}}
{{- $flags = append $flags (printf "--argocd-namespace=%s" (include "runtime.argocdNamespace" .)) -}}
{{- end -}}
{{- if $namespaced -}}
{{- range include "runtime.namespaces" . | fromJsonArray -}}{{- $flags = append $flags (printf "--scope-namespace=%s" .) -}}{{- end -}}
{{- end -}}
{{- if and $namespaced $shown -}}{{- $skipped = append $skipped "access" -}}{{- end -}}
{{- if eq $access.mode "ingress" -}}
{{- with $access.ingress.className -}}{{- $flags = append $flags (printf "--ingress-class=%s" .) -}}{{- end -}}
{{- end -}}
{{- if eq $access.mode "httpRoute" -}}
{{- with first $access.httpRoute.parentRefs -}}{{- $flags = append $flags (printf "--gateway=%s/%s" (.namespace | default $.Release.Namespace) .name) -}}{{- end -}}
{{- end -}}
{{- range .Values.preflight.gitUrls -}}{{- $flags = append $flags (printf "--git-url=%s" .) -}}{{- end -}}
{{- range concat $skipped .Values.preflight.skip | uniq -}}{{- $flags = append $flags (printf "--skip=%s" .) -}}{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{/* Ingress rules from callers of a part. */}}
{{- define "runtime.fromParts" -}}
- from:
    {{- include "causeway.peers" . | nindent 4 }}
  ports:
    - port: grpc
      protocol: TCP
{{- end -}}

{{- define "runtime.fromOutside" -}}
{{- if eq .Values.access.mode "tunnel" -}}
{{- include "runtime.fromParts" (dict "root" . "parts" (list "tunnel-client")) -}}
{{- else -}}
- ports:
    - port: grpc
      protocol: TCP
  {{- with .Values.access.from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Egress rule to the parts that a part calls. */}}
{{- define "runtime.toParts" -}}
- to:
    {{- include "causeway.peers" . | nindent 4 }}
  ports:
    - port: grpc
      protocol: TCP
{{- end -}}

{{/* Parts checked by `helm test`. */}}
{{- define "causeway.tested" -}}
{{- append (include "runtime.parts" . | fromJsonArray) "key-keeper" | toJson -}}
{{- end -}}
