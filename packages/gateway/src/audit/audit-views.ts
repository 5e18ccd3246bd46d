// The audit log for people who query the database with SQL. The rows of a step are its lines (`chain.ts`): the
// head, one line for each record, and the hash. Columns are computed from the text that the chain covers, so
// they can't differ from what `audit verify` checks.

/** SQL that creates the views `audit` and `audit_steps`; docs/audit.md describes their columns. */
export const AUDIT_VIEWS: string = `
DROP VIEW IF EXISTS audit;
CREATE VIEW audit AS
SELECT
  place,
  head ->> '$.node' AS node,
  head ->> '$.epoch' AS run,
  record ->> '$.sequence' AS sequence,
  record ->> '$.time' AS time,
  record ->> '$.event' AS event,
  record ->> '$.actor.tenant' AS tenant,
  record ->> '$.actor.user' AS user,
  record ->> '$.actor.view' AS view,
  record ->> '$.server' AS server,
  record ->> '$.method' AS method,
  record ->> '$.tool' AS tool,
  record ->> '$.decision.verdict' AS verdict,
  record ->> '$.decision.link' AS link,
  coalesce(record ->> '$.decision.code', record ->> '$.outcome.code') AS code,
  record ->> '$.outcome.kind' AS outcome,
  record ->> '$.duration' AS duration,
  record ->> '$.trace' AS trace,
  record
FROM (
  SELECT line.place, head.text AS head, substr(line.text, 10) AS record
  FROM log AS line
  JOIN log AS head ON head.partition = 'audit' AND head.place = line.place AND head.line = 0
  WHERE line.partition = 'audit' AND line.line > 0 AND line.text GLOB '???????? {*'
    AND json_valid(substr(line.text, 10)) AND json_valid(head.text)
);
DROP VIEW IF EXISTS audit_steps;
CREATE VIEW audit_steps AS
SELECT
  place,
  head ->> '$.node' AS node,
  head ->> '$.epoch' AS run,
  head ->> '$.step' AS step,
  head ->> '$.first' AS first,
  head ->> '$.count' AS count,
  head ->> '$.time' AS time,
  head ->> '$.prev' AS previous_hash,
  hash
FROM (
  SELECT head.place, head.text AS head, substr(tail.text, 5) AS hash
  FROM log AS head
  LEFT JOIN log AS tail ON tail.partition = 'audit' AND tail.place = head.place
    AND tail.line > 0 AND tail.text GLOB 'end *'
  WHERE head.partition = 'audit' AND head.line = 0 AND json_valid(head.text)
);
`;
