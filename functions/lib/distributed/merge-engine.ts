/** What merges rows by key that outgrow one function: it reads and writes S3 alone, and knows nothing of heads and jobs. */
export interface MergeEngine {
  /** Starts the run of a job. Repeated, it gives the same run. Resolves to its id. */
  start(run: MergeRun): Promise<string>
  look(runId: string): Promise<MergeState>
  stop(runId: string): Promise<void>
}

/** `failure`: why it ended without coming to its end. */
export type MergeState = { isRunning: true } | { isRunning: false; failure?: string }

export interface MergeRun {
  /** Of the job. One name is one run. */
  name: string
  /** S3 location of the script, and its argument. */
  script: string
  argument: string
  /** The tables `fork.rows` and `staged.rows` of Iceberg's Hadoop catalog lie below it. S3 location, without a slash at its end. */
  warehouse: string
  /** Prefixes of S3 locations that it may read besides. */
  reads: readonly string[]
}

/** How Spark finds the tables, wherever it runs. */
export const sparkSettings = (warehouse: string): Readonly<Record<string, string>> => ({
  'spark.sql.extensions': 'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions',
  'spark.sql.catalog.work': 'org.apache.iceberg.spark.SparkCatalog',
  'spark.sql.catalog.work.type': 'hadoop',
  'spark.sql.catalog.work.warehouse': warehouse,
  'spark.sql.catalog.work.cache-enabled': 'false',
  'spark.sql.session.timeZone': 'UTC',
  'spark.sql.caseSensitive': 'true',
  // Else Spark splits what is much among tasks, and each of them writes deletes of its own for a file of rows: here it has one.
  'spark.sql.adaptive.optimizeSkewsInRebalancePartitions.enabled': 'false',
})
