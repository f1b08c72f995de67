import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  type MergeEngine,
  type MergeRun,
  type MergeState,
  sparkSettings,
} from '#lib/distributed/merge-engine.ts'

interface LocalSpark {
  s3Endpoint: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  jars: readonly string[]
  environment: NodeJS.ProcessEnv
  /** Called before a run's script begins, and after it has ended. */
  onRun?: (moment: 'begin' | 'end', run: MergeRun) => Promise<void>
}

/** What EMR Serverless does of a run, by PySpark on this machine: the script that lies in S3, with its argument and settings. */
export const sparkMergeEngine = ({
  s3Endpoint,
  credentials,
  jars,
  environment,
  onRun,
}: LocalSpark): MergeEngine => {
  const runs = new Map<string, MergeState>()
  const s3 = new S3Client({ endpoint: s3Endpoint, region: 'us-east-1', credentials, forcePathStyle: true })

  const runScript = async (run: MergeRun): Promise<MergeState> => {
    await onRun?.('begin', run)
    const { host: Bucket, pathname } = new URL(run.script)
    const script = await s3.send(new GetObjectCommand({ Bucket, Key: pathname.slice(1) }))
    const settings = {
      ...sparkSettings(run.warehouse),
      'spark.jars': jars.join(','),
      'spark.master': 'local[2]',
      'spark.ui.enabled': 'false',
      'spark.driver.memory': '1g',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.driver.host': '127.0.0.1',
      'spark.sql.shuffle.partitions': '2',
      // What a merge of many GB is to Spark: two sides to shuffle, into partitions that are large.
      'spark.sql.autoBroadcastJoinThreshold': '-1',
      'spark.sql.adaptive.coalescePartitions.enabled': 'false',
      'spark.sql.iceberg.advisory-partition-size': '100',
      'spark.hadoop.fs.s3.impl': 'org.apache.hadoop.fs.s3a.S3AFileSystem',
      'spark.hadoop.fs.s3a.endpoint': s3Endpoint,
      'spark.hadoop.fs.s3a.path.style.access': 'true',
      'spark.hadoop.fs.s3a.access.key': credentials.accessKeyId,
      'spark.hadoop.fs.s3a.secret.key': credentials.secretAccessKey,
    }
    const given = Object.entries(settings).map(([name, value]) => `--conf ${name}=${value}`)
    const child = spawn('python3', ['-', run.argument], {
      env: { ...environment, PYSPARK_SUBMIT_ARGS: `${given.join(' ')} pyspark-shell` },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    child.stdin.end(await script.Body?.transformToString())
    const [said, code] = await Promise.all([
      text(child.stderr),
      new Promise(resolve => child.once('close', resolve)),
    ])
    await onRun?.('end', run)
    return { isRunning: false, ...(code !== 0 && { failure: said.slice(-1500) }) }
  }

  return {
    start: async run => {
      if (!runs.has(run.name)) {
        runs.set(run.name, { isRunning: true })
        void runScript(run)
          .catch((error: unknown) => ({ isRunning: false as const, failure: String(error) }))
          .then(state => runs.set(run.name, state))
      }
      return run.name
    },
    look: async runId => runs.get(runId) ?? { isRunning: false, failure: 'no such run' },
    stop: async runId => void runs.set(runId, { isRunning: false, failure: 'stopped' }),
  }
}
