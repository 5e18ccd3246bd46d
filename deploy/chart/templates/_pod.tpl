{{- /*
The pod of a gateway. Takes a dict: root, settings (of the role), component, roles (empty in single mode),
archive, programs, dataVolume (the name of the volume with the data, or of the spool).
*/ -}}
{{- define "vitrine.pod" -}}
{{- $ := .root -}}
metadata:
  labels:
    {{- include "vitrine.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    vitrine/gateway: "true"
  annotations:
    # Without `servers`, which a running gateway reads again by itself.
    checksum/config: {{ include "vitrine.restartConfig" $ | sha256sum }}
    {{- with .settings.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  # More than drain.delay and drain.time.
  terminationGracePeriodSeconds: 60
  automountServiceAccountToken: false
  {{- with $.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .settings.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "vitrine.selector" $ | nindent 10 }}
          app.kubernetes.io/component: {{ .component }}
  containers:
    - name: gateway
      image: {{ $.Values.image | quote }}
      imagePullPolicy: {{ $.Values.imagePullPolicy }}
      env:
        {{- if .roles }}
        - name: VITRINE_ENGINE_NODE
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        - name: VITRINE_CLUSTER_ROLES
          value: {{ .roles }}
        {{- end }}
        {{- if .archive }}
        - name: VITRINE_AUDIT_ARCHIVE_FOLDER
          value: /var/lib/vitrine-archive/audit
        {{- end }}
      ports:
        - { name: mcp, containerPort: 8090 }
        - { name: views, containerPort: 8091 }
        - { name: operator, containerPort: 9464 }
        {{- if $.Values.admin.enabled }}
        - { name: admin, containerPort: 9465 }
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: operator }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: operator }
      readinessProbe:
        httpGet: { path: /readyz, port: operator }
        periodSeconds: 5
      {{- if .programs }}
      command: [/usr/local/bin/start-with-programs]
      args: [start, --config, /etc/vitrine-gateway/gateway.yaml]
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        {{- if .programs }}
        runAsNonRoot: false
        runAsUser: 0
        capabilities: { drop: [ALL], add: [SETUID, SETGID, KILL] }
        {{- else }}
        capabilities: { drop: [ALL] }
        {{- end }}
      resources: {{- toYaml .settings.resources | nindent 8 }}
      volumeMounts:
        - { name: config, mountPath: /etc/vitrine-gateway, readOnly: true }
        - { name: keys, mountPath: /etc/vitrine-gateway-keys, readOnly: true }
        - { name: secrets, mountPath: /etc/vitrine-gateway-secrets, readOnly: true }
        - { name: scratch, mountPath: /tmp }
        - { name: {{ .dataVolume }}, mountPath: /var/lib/vitrine-gateway }
        {{- if .archive }}
        - { name: archive, mountPath: /var/lib/vitrine-archive }
        {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ $.Release.Name }}-config }
    - name: keys
      secret: { secretName: {{ $.Values.keys | quote }}, defaultMode: 0400 }
    - name: secrets
      secret: { secretName: {{ $.Values.secret | quote }}, defaultMode: 0400 }
    - name: scratch
      emptyDir: {}
    {{- if eq .dataVolume "spool" }}
    # Audit records that NATS doesn't have yet. They outlive the process, but not the pod.
    - name: spool
      emptyDir: {}
    {{- end }}
    {{- if .archive }}
    - name: archive
      persistentVolumeClaim: { claimName: {{ $.Release.Name }}-archive }
    {{- end }}
{{- end -}}
