{{/* Flags and volumes of the platform's parts. */}}

{{/* Formats of values of this chart only. */}}
{{- define "chart.formats" -}}
database:
  pattern: '^(postgres(ql)?://[^ ]+)?$'
  sentence: "is not a valid PostgreSQL URL; write postgres://USER@HOST/DATABASE, without a password"
retention:
  pattern: '^(( *[0-9]+(\.[0-9]+)? *(nanos|nsec|ns|usec|us|millis|msec|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|M|months?|y|yrs?|years?) *)+)?$'
  sentence: "is not a valid duration; for example 400d, or empty for unlimited"
origin:
  pattern: '^https?://[^/ *]+$'
  sentence: "is not a valid origin; write https://HOST or https://HOST:PORT"
id:
  pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'
  sentence: "is not a valid runtime id; use the id that 'causeway runtime list -o wide' shows"
door:
  pattern: '^https?://[^/@, ]+/?$'
  sentence: "is not a valid runtime URL; write https://HOST or https://HOST:PORT, without a path"
{{- end -}}

{{/* Values checked by these formats, as lines of PATH FORMAT. */}}
{{- define "chart.checked" -}}
publicUrl url
tls.existingSecret object
ingress.tlsSecret object
httpRoute.hostnames host
runtimes.urls.id id
runtimes.urls.url door
runtimes.ca.existingSecret object
runtimes.ca.key key
database.platform.url database
database.platform.existingSecret object
database.platform.key key
database.inventory.url database
database.inventory.existingSecret object
database.inventory.key key
keys.existingSecret object
platform.sessionAge duration
platform.signingKeyAge duration
platform.auditRetention retention
platform.persistence.existingClaim object
platform.extraArgs flag
inventory.historyRetention duration
inventory.historyFull duration
inventory.persistence.existingClaim object
inventory.extraArgs flag
tunnel-server.url tunnel
tunnel-server.tls.existingSecret object
tunnel-server.extraArgs flag
request-router.trustedProxies network
request-router.corsOrigins origin
request-router.extraArgs flag
request-router.service.type
tunnel-server.service.type
key-keeper.resources
{{- end -}}

{{/* Flags by which a part calls `platform` with its own key. */}}
{{- define "platform.peerFlags" -}}
{{- list (printf "--platform-url=http://%s-platform:7500" (include "causeway.fullname" .)) "--part-key=/keys/part.pem" | toJson -}}
{{- end -}}

{{/* Volume with the part's key: dict root, part. The pod waits for it. */}}
{{- define "platform.keyVolume" -}}
- name: key
  secret:
    secretName: {{ include "causeway.name" . }}-key
    defaultMode: 0440
    items:
      - {key: part.pem, path: part.pem}
{{- end -}}

{{- define "platform.keyMount" -}}
- name: key
  mountPath: /keys
  readOnly: true
{{- end -}}

{{- define "platform.keySecret" -}}
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "causeway.name" . }}-key
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
type: Opaque
{{- end -}}

{{- define "platform.databaseFlags" -}}
{{- $database := index .root.Values.database .part -}}
{{- $flags := list -}}
{{- if $database.url -}}
{{- $flags = append $flags (printf "--database=%s" $database.url) -}}
{{- if $database.existingSecret -}}{{- $flags = append $flags "--database-password-file=/etc/causeway/database/password" -}}{{- end -}}
{{- if not .root.Values.database.listen -}}{{- $flags = append $flags "--database-listen=false" -}}{{- end -}}
{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "platform.databaseMount" -}}
{{- if (index .root.Values.database .part).existingSecret }}
- name: database
  mountPath: /etc/causeway/database
  readOnly: true
{{- end }}
{{- end -}}

{{- define "platform.databaseVolume" -}}
{{- $database := index .root.Values.database .part -}}
{{- if $database.existingSecret }}
- name: database
  secret:
    secretName: {{ $database.existingSecret }}
    defaultMode: 0440
    items:
      - {key: {{ $database.key }}, path: password}
{{- end }}
{{- end -}}

{{/* Egress rule to the part's database. */}}
{{- define "platform.toDatabase" -}}
{{- with (index .root.Values.database .part).url -}}
{{- $port := regexFind ":[0-9]+$" (urlParse .).host | trimPrefix ":" | default "5432" -}}
{{- include "causeway.outside" (dict "root" $.root "ports" (list $port)) -}}
{{- end -}}
{{- end -}}

{{/* Data volume of a part: dict root, part. */}}
{{- define "platform.claim" -}}
{{- $persistence := (index .root.Values .part).persistence -}}
{{- if not $persistence.existingClaim -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ include "causeway.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
    argocd.argoproj.io/sync-options: Delete=false,Prune=false
spec:
  accessModes: [{{ $persistence.accessMode | default "ReadWriteOnce" }}]
  {{- with $persistence.storageClass }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ $persistence.size }}
{{- end -}}
{{- end -}}

{{- define "platform.claimName" -}}
{{- (index .root.Values .part).persistence.existingClaim | default (include "causeway.name" .) -}}
{{- end -}}

{{- define "platform.tunnelUrl" -}}
{{- $own := printf "wss://%s-tunnel-server.%s.svc:7401/tunnel/v1" (include "causeway.fullname" .) .Release.Namespace -}}
{{- index .Values "tunnel-server" "url" | default $own -}}
{{- end -}}

{{/* Secret with the tunnel server's certificate. */}}
{{- define "platform.tunnelSecret" -}}
{{- index .Values "tunnel-server" "tls" "existingSecret" | default (printf "%s-tunnel-server-tls" (include "causeway.fullname" .)) -}}
{{- end -}}

{{/* Non-empty if joining runtimes receive the tunnel's CA certificate. */}}
{{- define "platform.tellsAuthority" -}}
{{- $tls := index .Values "tunnel-server" "tls" -}}
{{- if or $tls.tellAuthority (not (or $tls.existingSecret $tls.issuerRef)) -}}true{{- end -}}
{{- end -}}

{{/* Ingress rules from other parts: dict root, parts. */}}
{{- define "platform.fromParts" -}}
- from:
    {{- include "causeway.peers" . | nindent 4 }}
  ports:
    - port: grpc
      protocol: TCP
{{- end -}}

{{/* Ingress rules from outside the release: dict root, port. */}}
{{- define "platform.fromOutside" -}}
- ports:
    - port: {{ .port }}
      protocol: TCP
  {{- with .root.Values.networkPolicy.from }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Egress rule to the parts that a part calls. */}}
{{- define "platform.toParts" -}}
- to:
    {{- include "causeway.peers" . | nindent 4 }}
  ports:
    - port: grpc
      protocol: TCP
{{- end -}}

{{/* Sidecar that issues keys to the other parts; only this container of the pod calls the Kubernetes API. */}}
{{- define "platform.keeper" -}}
{{- $name := include "causeway.fullname" . -}}
- name: key-keeper
  image: {{ include "causeway.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args:
    - key
    - keep
    - --admin-listen=0.0.0.0:7502
    - --issuer-key=/data/keys/parts.pem
    {{- range list "inventory" "tunnel-server" "request-router" }}
    - --secret={{ . }}={{ $name }}-{{ . }}-key
    {{- end }}
  env:
    {{- include "causeway.env" . | nindent 4 }}
  ports:
    - name: keeper-admin
      containerPort: 7502
  {{- include "causeway.probes" "keeper-admin" | nindent 2 }}
  securityContext:
    {{- include "causeway.containerSecurity" . | nindent 4 }}
  resources:
    {{- toYaml (index .Values "key-keeper" "resources") | nindent 4 }}
  volumeMounts:
    {{- include "platform.dataMount" . | nindent 4 }}
      readOnly: true
    - name: kubernetes
      mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      readOnly: true
{{- end -}}

{{- define "platform.dataMount" -}}
- name: data
  mountPath: /data{{ if .Values.keys.existingSecret }}/keys{{ end }}
{{- end -}}

{{- define "platform.dataVolumes" -}}
{{- $platform := dict "root" . "part" "platform" -}}
- name: data
  {{- if .Values.keys.existingSecret }}
  secret:
    secretName: {{ .Values.keys.existingSecret }}
    defaultMode: 0440
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ include "platform.claimName" $platform }}
  {{- end }}
- name: kubernetes
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3607
      - configMap:
          name: kube-root-ca.crt
          items:
            - {key: ca.crt, path: ca.crt}
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- if include "platform.tellsAuthority" . }}
- name: tunnel-ca
  secret:
    secretName: {{ include "platform.tunnelSecret" . }}
    defaultMode: 0440
    items:
      - {key: ca.crt, path: ca.crt}
{{- end }}
{{- end -}}

{{- define "platform.tunnelCaMount" -}}
{{- if include "platform.tellsAuthority" . }}
- name: tunnel-ca
  mountPath: /etc/causeway/tunnel-ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "platform.inventoryMount" -}}
{{- if not .Values.database.inventory.url }}
- name: data
  mountPath: /data
{{- end }}
{{- end -}}

{{- define "platform.inventoryVolume" -}}
{{- if not .Values.database.inventory.url }}
- name: data
  persistentVolumeClaim:
    claimName: {{ include "platform.claimName" (dict "root" . "part" "inventory") }}
{{- end }}
{{- end -}}

{{- define "platform.tlsMount" }}
- name: tls
  mountPath: /etc/causeway/tls
  readOnly: true
{{- end -}}

{{/* Volume of a TLS Secret by its name. */}}
{{- define "platform.tlsVolume" }}
- name: tls
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items:
      - {key: tls.crt, path: tls.crt}
      - {key: tls.key, path: tls.key}
{{- end -}}

{{/* Flags for runtimes that the router dials by URL. */}}
{{- define "platform.runtimeFlags" -}}
{{- $flags := list -}}
{{- range .Values.runtimes.urls -}}
{{- $flags = append $flags (printf "--runtime-url=%s=%s" .id (trimSuffix "/" .url)) -}}
{{- end -}}
{{- if .Values.runtimes.ca.existingSecret -}}{{- $flags = append $flags "--runtime-ca=/etc/causeway/runtime-ca/ca.crt" -}}{{- end -}}
{{- $flags | toJson -}}
{{- end -}}

{{- define "platform.runtimeCaMount" -}}
{{- if .Values.runtimes.ca.existingSecret }}
- name: runtime-ca
  mountPath: /etc/causeway/runtime-ca
  readOnly: true
{{- end }}
{{- end -}}

{{- define "platform.runtimeCaVolume" -}}
{{- with .Values.runtimes.ca }}
{{- if .existingSecret }}
- name: runtime-ca
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
    items:
      - {key: {{ .key }}, path: ca.crt}
{{- end }}
{{- end }}
{{- end -}}

{{/* Egress rule to the runtimes of runtimes.urls. */}}
{{- define "platform.toRuntimes" -}}
{{- $ports := list -}}
{{- range .Values.runtimes.urls -}}{{- $ports = append $ports (include "causeway.port" .url) -}}{{- end -}}
{{- if $ports -}}
{{- include "causeway.outside" (dict "root" . "ports" $ports) -}}
{{- end -}}
{{- end -}}

{{/* Parts checked by `helm test`. */}}
{{- define "causeway.tested" -}}
{{- list "platform" "inventory" "tunnel-server" "request-router" | toJson -}}
{{- end -}}
