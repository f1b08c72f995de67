/** What clients know and this service does not do, by paths below `/v2/storage/`, each with what to do instead. */
const notOffered: readonly (readonly [paths: RegExp, instead: string])[] = [
  [
    /^(workspaces\/[^/]+\/(load|load-clone|input-mapping-load|unload|table-export|objects.*)|input-mapping-load\/preview)$/,
    'Workspaces hold nothing here: they read the tables themselves, by queries. To work on copies, export the table to a file (export-async).',
  ],
  [
    /^workspaces\/[^/]+\/query$/,
    'Workspaces are queried here through the query service of the index, or POST /v2/storage/query.',
  ],
  [
    /^workspaces\/[^/]+\/(password|public-key|credentials.*)$/,
    'Nobody logs in to a workspace here: queries have the rights of the token that asks them.',
  ],
  [
    /^(listings|buckets\/[^/]+\/(share.*|links\/.+|listing))$/,
    'Buckets are not shared between projects here: a stack holds one project. Give a token with read on the bucket, or export its tables.',
  ],
  [
    /^buckets\/(register|register-guide|[^/]+\/(refresh|refresh-tables-info|scheduled-tasks\/refresh))$/,
    'Buckets of other databases are not registered here. Load their data: import-async, or files dropped in the landing bucket.',
  ],
  [
    /^tables\/[^/]+\/profile(\/latest)?$/,
    'There are no profiles here. Ask POST /v2/storage/query with SUMMARIZE SELECT … for one.',
  ],
  [
    /^(merge-request.*|components\/[^/]+\/configs\/[^/]+\/(diff|rebase))$/,
    'Configurations of branches are not merged here: pull both with kbc and merge them with git. POST …/reset-to-default takes a configuration of a branch back to the default branch.',
  ],
  [
    /^tables\/[^/]+\/optimize$/,
    'There is nothing to optimize here: each load joins small files of its table.',
  ],
  [
    /^scheduled-tasks.*$/,
    'There are no scheduled tasks here. Schedules are metadata of configurations (docs/extraction.md#schedules).',
  ],
]

/** What to do in place of what is asked for at a path that no route has, when it is known. */
export const insteadOf = (path: string): string | undefined =>
  notOffered.find(([paths]) => paths.test(path.replace('/v2/storage/', '')))?.[1]
