{{/* Service for the admin ports of all pods, also of those that are not ready: for Prometheus and for 'helm test'. */}}
{{- define "causeway.admin" -}}
{{- $part := dict "root" . "part" "admin" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "causeway.name" $part }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "causeway.labels" $part | nindent 4 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    app.kubernetes.io/name: {{ .Chart.Name }}
    app.kubernetes.io/instance: {{ .Release.Name }}
  ports:
    - name: admin
      port: 7501
      targetPort: admin
{{- if .Values.metrics.serviceMonitor }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ include "causeway.fullname" . }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "causeway.labels" $part | nindent 4 }}
    {{- with .Values.metrics.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  selector:
    matchLabels:
      {{- include "causeway.selector" $part | nindent 6 }}
  endpoints:
    - port: admin
      path: /metrics
      interval: {{ .Values.metrics.interval }}
      relabelings:
        - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
          targetLabel: component
{{- end }}
{{- end -}}
