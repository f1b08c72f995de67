import { spawn } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { ContractSuite, SuiteResult } from '../contracts/contract-suite.ts'
import { fetchJars, fetchNpm, fetchPython, findJava } from '../contracts/implementations/cache.ts'
import { type Check, countChecks, readCheck } from './checks.ts'
import type { EngineRun } from './engine-run.ts'
import { askTrino } from './trino-checks.ts'

/** Packages of PyPI. Engines that agree on versions share a folder. */
const lake = [
  'pyiceberg[pyarrow]==0.12.0',
  'duckdb==1.5.5',
  'duckdb-extension-avro==1.5.5',
  'duckdb-extension-httpfs==1.5.5',
  'duckdb-extension-iceberg==1.5.5',
  'polars==2.1.0',
  'daft==0.7.26',
]
const LONGEST_MS = 1_800_000

const pythonEngine = (
  name: string,
  { packages, prepare }: { packages: string[]; prepare?: (run: EngineRun) => Promise<object | string> },
): EngineSuite => ({
  name,
  ask: async run => {
    const env = await fetchPython(packages)
    if (!env) return { skipped: `pip could not bring ${packages.join(', ')}.` }
    const more = (await prepare?.(run)) ?? {}
    if (typeof more === 'string') return { skipped: more }
    const plan = join(run.folder, `${name}.json`)
    const written = join(run.folder, 'written', name)
    await writeFile(plan, JSON.stringify({ ...run.plan, ...more, written }))
    const script = join(import.meta.dirname, 'python', `${name}_engine.py`)
    const child = spawn('python3', [script, plan], {
      env: { ...env, ...run.environment, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
    })
    const checks: Check[] = []
    const [problems] = await Promise.all([
      text(child.stderr),
      (async () => {
        for await (const said of createInterface({ input: child.stdout }))
          if (said.startsWith('{"check"')) checks.push(readCheck(said))
          else if (said.startsWith('  skipped')) console.log(said)
      })(),
      new Promise(resolve => child.once('close', resolve)),
    ])
    if (child.exitCode !== 0)
      checks.push({
        check: 'the script',
        ok: false,
        said: `${child.signalCode ?? ''} ${problems.slice(-600)}`,
      })
    return countChecks(name, [...checks, ...(await run.loadWritten(written))])
  },
})

/** One engine. */
export interface EngineSuite {
  name: string
  ask: (run: EngineRun) => Promise<SuiteResult>
}

const OLDEST_JAVA = 17
const sparkJars = [
  'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.1',
  'org.apache.iceberg:iceberg-aws-bundle:1.10.1',
]

const withJars = async (): Promise<object | string> => {
  if ((await findJava(OLDEST_JAVA)) === undefined)
    return `There is no Java ${OLDEST_JAVA}, on which Spark runs.`
  const jars: string[] = []
  for (const artifact of sparkJars) {
    const folder = await fetchJars(artifact)
    if (folder === undefined) return `Maven could not bring ${artifact}.`
    jars.push(
      ...(await readdir(folder)).filter(file => file.startsWith('iceberg-')).map(file => join(folder, file)),
    )
  }
  const pyiceberg = (await fetchPython(lake))?.['PYTHONPATH']
  if (pyiceberg === undefined)
    return `pip could not bring ${lake.join(', ')}, one of which reads what Spark rewrites.`
  return { jars: jars.join(','), pyiceberg }
}

const withFiles = async ({ landing }: EngineRun): Promise<object> => {
  const vega = await fetchNpm('vega-datasets@2.11.0')
  const command = join(import.meta.dirname, '../../cli/bin.js')
  return { landing, vega: vega ? join(vega, 'data') : null, millrace: [process.execPath, command] }
}

const engines: EngineSuite[] = [
  pythonEngine('pandas', {
    packages: ['pandas==3.1.1', 'pyarrow==26.0.1', 'boto3==1.44.8'],
    prepare: withFiles,
  }),
  pythonEngine('pyiceberg', { packages: lake }),
  pythonEngine('duckdb', { packages: lake }),
  pythonEngine('polars', { packages: lake }),
  pythonEngine('daft', { packages: lake }),
  pythonEngine('chdb', { packages: ['chdb==4.4.0'] }),
  pythonEngine('spark', { packages: ['pyspark==3.5.9'], prepare: withJars }),
  { name: 'trino', ask: askTrino },
]

export const engineSuites = (start: () => Promise<EngineRun>): ContractSuite[] =>
  engines.map(({ name, ask }) => ({
    name,
    run: async () => {
      const run = await start()
      return run.whileLoading(() => ask(run))
    },
  }))
