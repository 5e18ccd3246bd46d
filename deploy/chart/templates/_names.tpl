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

{{- /* The address of the store: NATS, or a folder in single mode. */ -}}
{{- define "vitrine.engine" -}}
{{- if eq .Values.mode "single" -}}
{{- dict "driver" "sqlite" "folder" "/var/lib/vitrine-gateway" | toYaml -}}
{{- else -}}
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
{{- $login := dict "user" "gateway" "password" "${file:/etc/vitrine-gateway-secrets/NATS_PASSWORD}" -}}
{{- dict "driver" "nats" "servers" $servers "login" $login | toYaml -}}
{{- end -}}
{{- end -}}

{{- /* The configuration that all roles share, as YAML. */ -}}
{{- define "vitrine.config" -}}
{{- $listen := dict "host" "0.0.0.0" "port" 8090 -}}
{{- $sandbox := dict "host" "0.0.0.0" "port" 8091 -}}
{{- $operator := dict "host" "0.0.0.0" "port" 9464 "token" "${file:/etc/vitrine-gateway-secrets/OPERATOR_TOKEN}" -}}
{{- $filled := dict "engine" (include "vitrine.engine" . | fromYaml) "listen" $listen "sandbox" $sandbox "operator" $operator "keys" (dict "folder" "/etc/vitrine-gateway-keys") -}}
{{- if .Values.admin.enabled -}}
{{- $admin := dict "host" "0.0.0.0" "port" 9465 "token" "${file:/etc/vitrine-gateway-secrets/ADMIN_TOKEN}" "hosts" .Values.admin.hosts -}}
{{- $filled = set $filled "admin" $admin -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $filled) -}}
{{- end -}}

{{- /* The part of the configuration that needs a restart. */ -}}
{{- define "vitrine.restartConfig" -}}
{{- omit (include "vitrine.config" . | fromYaml) "servers" | toYaml -}}
{{- end -}}
