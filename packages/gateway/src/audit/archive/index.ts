export { ArchiveError } from "./archive-error.ts";
export {
  type ArchiveReader,
  openArchiveReader,
  type SegmentFinding,
} from "./archive-reader.ts";
export { type Archiver, type ArchiveState, startArchiver } from "./archiver.ts";
export { ARCHIVES_BUCKET, type ArchiveProgress, slowestArchive } from "./progress.ts";
