{{/* Names, labels and the pod of every part. Both charts include this folder by the symbolic link templates/common. */}}

{{- define "causeway.fullname" -}}
{{- $name := .Values.fullnameOverride | default .Release.Name -}}
{{- if gt (len $name) 36 -}}
{{- fail (printf "the name %s is too long for object names; set fullnameOverride to at most 36 characters" $name) -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- fail (printf "the name %s does not start with a letter, as names of Services must; set fullnameOverride to one that does" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* Name of a part's objects: dict root, part. */}}
{{- define "causeway.name" -}}
{{ include "causeway.fullname" .root }}-{{ .part }}
{{- end -}}

{{/* Selector labels of a part: dict root, part. */}}
{{- define "causeway.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}{{ if has .part (list "test" "preflight") }}-{{ .part }}{{ end }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{/* Labels of an object: dict root, part. */}}
{{- define "causeway.labels" -}}
{{ include "causeway.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | trunc 63 | trimAll "-._" | quote }}
app.kubernetes.io/part-of: causeway
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "causeway.image" -}}
{{- $image := .Values.image -}}
{{- $registry := ternary (printf "%s/" (trimSuffix "/" $image.registry)) "" (ne $image.registry "") -}}
{{- if $image.digest -}}
{{ $registry }}{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $registry }}{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "causeway.podSecurity" -}}
runAsNonRoot: true
{{- if not .Values.openshift }}
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "causeway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Number of pods of a part: dict root, part. */}}
{{- define "causeway.replicas" -}}
{{- $given := (index .root.Values .part).replicas -}}
{{- $given | default (ternary 2 1 .root.Values.highAvailability) -}}
{{- end -}}

{{/* Environment of every process. No secrets: those are files. */}}
{{- define "causeway.env" -}}
- name: CAUSEWAY_LOG
  value: {{ .Values.log.filter | quote }}
- name: CAUSEWAY_LOG_FORMAT
  value: {{ .Values.log.format }}
{{ include "causeway.outward" . }}
{{- range $name, $value := .Values.telemetry }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Environment for outgoing connections: proxy and CA certificates. */}}
{{- define "causeway.outward" -}}
# One arena keeps what was freed from being held by each thread.
- name: MALLOC_ARENA_MAX
  value: "1"
{{- if or .Values.ca.existingSecret .Values.ca.existingConfigMap }}
- name: SSL_CERT_FILE
  value: /etc/causeway/ca/ca.crt
- name: SSL_CERT_DIR
  value: /etc/ssl/certs
{{- end }}
{{- if .Values.proxy.url }}
- name: HTTPS_PROXY
  value: {{ .Values.proxy.url | quote }}
- name: NO_PROXY
  value: {{ concat (list "localhost" "127.0.0.1" ".svc" ".cluster.local" "$(KUBERNETES_SERVICE_HOST)") .Values.proxy.exceptions | join "," | quote }}
{{- end }}
{{- end -}}

{{- define "causeway.caMount" -}}
{{- if or .Values.ca.existingSecret .Values.ca.existingConfigMap }}
- name: ca
  mountPath: /etc/causeway/ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "causeway.caVolume" -}}
{{- $items := list (dict "key" .Values.ca.key "path" "ca.crt") -}}
{{- if .Values.ca.existingSecret }}
- name: ca
  secret:
    secretName: {{ .Values.ca.existingSecret }}
    defaultMode: 0440
    items: {{ toJson $items }}
{{- else if .Values.ca.existingConfigMap }}
- name: ca
  configMap:
    name: {{ .Values.ca.existingConfigMap }}
    items: {{ toJson $items }}
{{- end }}
{{- end -}}

{{- define "causeway.probes" -}}
livenessProbe:
  httpGet:
    path: /healthz
    port: {{ . }}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: {{ . }}
  periodSeconds: 2
  timeoutSeconds: 2
{{- end -}}

{{/*
The workload of one part: dict root, part, args, and where they are needed: kind, strategy, replicas, kube (whether the pod talks to
the Kubernetes API), ports (name to number), mounts, volumes, init and sidecars (YAML texts), command (what comes in the place of
'serve PART').
*/}}
{{- define "causeway.workload" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .part -}}
{{- $replicas := .replicas | default (include "causeway.replicas" . | int) -}}
apiVersion: apps/v1
kind: {{ .kind | default "Deployment" }}
metadata:
  name: {{ include "causeway.name" . }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
spec:
  replicas: {{ $replicas }}
  revisionHistoryLimit: 3
  {{- if eq (.kind | default "") "StatefulSet" }}
  serviceName: {{ include "causeway.name" . }}
  {{- else if .strategy }}
  strategy:
    type: {{ .strategy }}
  {{- else }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  {{- end }}
  selector:
    matchLabels:
      {{- include "causeway.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "causeway.labels" . | nindent 8 }}
        {{- with $root.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "causeway.name" . }}
      automountServiceAccountToken: {{ .kube | default false }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: 30
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if gt ($replicas | int) 1 }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "causeway.selector" $ | nindent 14 }}
        {{- end }}
      {{- end }}
      securityContext:
        {{- include "causeway.podSecurity" $root | nindent 8 }}
      {{- with .init }}
      initContainers:
        {{- . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .part }}
          image: {{ include "causeway.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            {{- range concat (.command | default (list "serve" .part)) (list "--admin-listen=0.0.0.0:7501") .args $values.extraArgs }}
            - {{ . | quote }}
            {{- end }}
          env:
            {{- include "causeway.env" $root | nindent 12 }}
          ports:
            - name: admin
              containerPort: 7501
            {{- range $name, $port := .ports }}
            - name: {{ $name }}
              containerPort: {{ $port }}
            {{- end }}
          {{- include "causeway.probes" "admin" | nindent 10 }}
          securityContext:
            {{- include "causeway.containerSecurity" $root | nindent 12 }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- with .mounts }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- include "causeway.caMount" $root | nindent 12 }}
        {{- with .sidecars }}
        {{- . | nindent 8 }}
        {{- end }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: 256Mi
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- include "causeway.caVolume" $root | nindent 8 }}
{{- end -}}

{{/* ServiceAccount of a part: dict root, part. */}}
{{- define "causeway.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "causeway.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
  {{- with (index .root.Values .part).serviceAccountAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}

{{/* gRPC Service of a part inside the cluster: dict root, part, and port if not 7500. */}}
{{- define "causeway.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "causeway.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
spec:
  selector:
    {{- include "causeway.selector" . | nindent 4 }}
  ports:
    - name: grpc
      port: 7500
      targetPort: grpc
      appProtocol: kubernetes.io/h2c
{{- end -}}

{{/* PodDisruptionBudget of a part with several pods: dict root, part. */}}
{{- define "causeway.disruptionBudget" -}}
{{- if gt (include "causeway.replicas" . | int) 1 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "causeway.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "causeway.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{/* NetworkPolicy peers: pods of other parts of this release: dict root, parts. */}}
{{- define "causeway.peers" -}}
{{- range .parts }}
- podSelector:
    matchLabels:
      {{- include "causeway.selector" (dict "root" $.root "part" .) | nindent 6 }}
{{- end }}
{{- end -}}

{{/* Egress rule to external services on these ports: dict root, ports. */}}
{{- define "causeway.outside" -}}
- to:
    {{- range .root.Values.networkPolicy.outside }}
    - ipBlock:
        cidr: {{ . }}
        {{- /* Where clouds hand out a node's credentials. */}}
        {{- if eq . "0.0.0.0/0" }}
        except: [169.254.169.254/32]
        {{- else if eq . "::/0" }}
        except: ["fd00:ec2::254/128"]
        {{- end }}
    {{- end }}
  ports:
    {{- range .ports | uniq }}
    - port: {{ . | int }}
      protocol: TCP
    {{- end }}
{{- end -}}

{{/* Port of a URL, or the default port of its scheme. */}}
{{- define "causeway.port" -}}
{{- $url := urlParse . -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- $port | default (ternary "443" "80" (has $url.scheme (list "https" "wss"))) -}}
{{- end -}}

{{/*
What may reach the pods of a part and what they may reach: dict root, part, ingress and egress (YAML texts). Everything else is refused
both ways. Names may be looked up wherever they are answered, since that may be on the node.
*/}}
{{- define "causeway.networkPolicy" -}}
{{- $root := .root -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "causeway.name" . }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "causeway.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - from:
        {{- include "causeway.peers" (dict "root" $root "parts" (list "test")) | nindent 8 }}
        {{- with $root.Values.networkPolicy.metricsFrom }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - port: admin
          protocol: TCP
    {{- with .ingress }}
    {{- . | nindent 4 }}
    {{- end }}
  egress:
    - ports:
        - port: 53
          protocol: UDP
        - port: 53
          protocol: TCP
    {{- with .egress }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- $endpoint := get $root.Values.telemetry "OTEL_EXPORTER_OTLP_ENDPOINT" }}
    {{- with $endpoint }}
    {{- include "causeway.outside" (dict "root" $root "ports" (list (include "causeway.port" .))) | nindent 4 }}
    {{- end }}
    {{- with $root.Values.networkPolicy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* CIDRs of the Kubernetes API: root. */}}
{{- define "causeway.toKubernetes" -}}
{{- include "causeway.outside" (dict "root" . "ports" .Values.networkPolicy.kubernetesPorts) -}}
{{- end -}}

{{/* Validation common to both charts. */}}
{{- define "causeway.refusals" -}}
{{- if and .Values.ca.existingSecret .Values.ca.existingConfigMap -}}
{{- fail "ca: set existingSecret or existingConfigMap, not both" -}}
{{- end -}}
{{- if contains "@" .Values.proxy.url -}}
{{- fail "proxy.url: a password would be visible in the environment of every pod; authorize the cluster by its address and remove the password" -}}
{{- end -}}
{{- range $name, $value := .Values.telemetry -}}
{{- if hasSuffix "_HEADERS" $name -}}
{{- fail (printf "telemetry.%s: headers are credentials and would be visible in the environment of every pod; send to a collector in the cluster that adds them" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
