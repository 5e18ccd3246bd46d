{{- define "vitrine.labels" -}}
app.kubernetes.io/name: vitrine-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "vitrine.selector" -}}
app.kubernetes.io/name: vitrine-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "vitrine.nats" -}}
{{ .Release.Name }}-nats
{{- end -}}

{{- /* The configuration that all roles share. */ -}}
{{- define "vitrine.config" -}}
{{- $nats := include "vitrine.nats" . -}}
{{- $servers := .Values.nats.servers -}}
{{- if .Values.nats.enabled -}}
{{- $servers = list -}}
{{- range $i := until 3 -}}
{{- $servers = append $servers (printf "nats://%s-%d.%s:4222" $nats $i $nats) -}}
{{- end -}}
{{- else if not $servers -}}
{{- fail "nats.enabled is false and nats.servers is empty: name the NATS servers that the gateways share." -}}
{{- end -}}
{{- $engine := dict "driver" "nats" "servers" $servers "login" (dict "user" "gateway" "password" "${file:/etc/vitrine-gateway-secrets/NATS_PASSWORD}") -}}
{{- $listen := dict "host" "0.0.0.0" "port" 8090 -}}
{{- $sandbox := dict "host" "0.0.0.0" "port" 8091 -}}
{{- $operator := dict "host" "0.0.0.0" "port" 9464 "token" "${file:/etc/vitrine-gateway-secrets/OPERATOR_TOKEN}" -}}
{{- $filled := dict "engine" $engine "listen" $listen "sandbox" $sandbox "operator" $operator "keys" (dict "folder" "/etc/vitrine-gateway-keys") -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $filled) -}}
{{- end -}}
