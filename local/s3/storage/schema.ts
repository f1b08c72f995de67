/**
 * The server's books: everything except the bytes of the objects. Keys are BLOBs, so the B-tree's own order is UTF-8 byte
 * order and a listing is a seek; a commit of an object, the retreat of the one before it and its pending event are one transaction.
 *
 * Bytes: a *file* is an immutable run of bytes, under `data/` or, a small one, in the database. A *slice* is a run of bytes of a file; a *part* is a list of
 * slices; a *holder* owns parts: it is an upload, and later the object version that the upload became, under the same
 * number, so completing an upload moves no bytes and no slices. UploadPartCopy and CopyObject share slices with their
 * source. A file goes when no slice refers to it any more.
 */
export const schema = `
  -- A second server on the same folder would sweep away the first one's unfinished uploads.
  PRAGMA locking_mode = EXCLUSIVE;

  CREATE TABLE IF NOT EXISTS counter (value INTEGER NOT NULL);
  INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT * FROM counter);

  CREATE TABLE IF NOT EXISTS buckets (
    name TEXT PRIMARY KEY,
    created INTEGER NOT NULL,       -- ms since 1970, as every time here
    versioning TEXT NOT NULL,       -- '' (never turned on), 'Enabled' or 'Suspended'
    event_bridge INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS versions (
    holder INTEGER PRIMARY KEY,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,              -- UTF-8
    version_id TEXT NOT NULL,       -- 'null' when the bucket is not versioned
    sequence INTEGER NOT NULL,      -- order of commits
    latest INTEGER NOT NULL,
    delete_marker INTEGER NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,             -- without quotes
    modified INTEGER NOT NULL,
    description TEXT NOT NULL       -- JSON of ObjectDescription
  );
  CREATE UNIQUE INDEX IF NOT EXISTS versions_by_id ON versions (bucket, key, version_id);
  CREATE UNIQUE INDEX IF NOT EXISTS versions_by_sequence ON versions (bucket, key, sequence DESC);
  CREATE UNIQUE INDEX IF NOT EXISTS latest_versions ON versions (bucket, key) WHERE latest = 1;

  CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY,
    holder INTEGER NOT NULL,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    initiated INTEGER NOT NULL,
    description TEXT NOT NULL       -- JSON of ObjectDescription
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS uploads_by_key ON uploads (bucket, key, id);

  CREATE TABLE IF NOT EXISTS completed_uploads (
    id TEXT PRIMARY KEY,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    completed INTEGER NOT NULL,
    result TEXT NOT NULL            -- JSON of StoredVersion, so that a repeated Complete gets the same answer
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS parts (
    holder INTEGER NOT NULL,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,         -- in the object; 0 while the upload is open
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,             -- MD5 in hex
    modified INTEGER NOT NULL,
    checksums TEXT NOT NULL,        -- JSON: algorithm -> base64
    PRIMARY KEY (holder, number)
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS slices (
    holder INTEGER NOT NULL,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,         -- in the part
    size INTEGER NOT NULL,
    file TEXT NOT NULL,
    file_start INTEGER NOT NULL,
    PRIMARY KEY (holder, number, start)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS slices_by_file ON slices (file);

  CREATE TABLE IF NOT EXISTS small_files (
    file TEXT PRIMARY KEY,
    content BLOB NOT NULL           -- those that are not here lie under data/
  );

  CREATE TABLE IF NOT EXISTS garbage (file TEXT PRIMARY KEY) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS events (sequence INTEGER PRIMARY KEY, event TEXT NOT NULL);
`
