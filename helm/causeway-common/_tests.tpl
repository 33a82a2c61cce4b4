{{/* Pod of 'helm test': checks that every part is ready. A ready tunnel client has a tunnel; a ready reporter has sent a first report. */}}
{{- define "causeway.tests" -}}
{{- $part := dict "root" . "part" "test" -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "causeway.name" $part }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "causeway.labels" $part | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  restartPolicy: Never
  serviceAccountName: {{ include "causeway.fullname" . }}-request-router
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "causeway.podSecurity" . | nindent 4 }}
  containers:
    - name: test
      image: {{ include "causeway.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - probe
        - {{ include "causeway.fullname" . }}-admin:7501
        - --wait=120s
        {{- range include "causeway.tested" . | fromJsonArray }}
        - --part={{ . }}
        {{- end }}
      securityContext:
        {{- include "causeway.containerSecurity" . | nindent 8 }}
      resources:
        requests: {cpu: 1m, memory: 20Mi}
        limits: {memory: 128Mi}
{{- if .Values.networkPolicy.enabled }}
---
{{- /* The test reaches the admin ports and nothing else. */}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "causeway.name" $part }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "causeway.labels" $part | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "causeway.selector" $part | nindent 6 }}
  policyTypes: [Ingress, Egress]
  egress:
    - ports:
        - port: 53
          protocol: UDP
        - port: 53
          protocol: TCP
    - to:
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ .Chart.Name }}
              app.kubernetes.io/instance: {{ .Release.Name }}
      ports:
        - port: admin
          protocol: TCP
{{- end }}
{{- end -}}
