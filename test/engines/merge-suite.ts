import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ContractSuite } from '../contracts/contract-suite.ts'
import { fetchJars, fetchPython, findJava } from '../contracts/implementations/cache.ts'
import { mergeCases, playMerges } from '../support/large-merges.ts'
import { rootKey, startStorageService } from '../support/storage-service.ts'
import { type Check, countChecks } from './checks.ts'
import { sparkMergeEngine } from './spark-merge-engine.ts'

const NAME = 'merge'
const OLDEST_JAVA = 17
const PYSPARK = 'pyspark==3.5.9'

/** Of each artifact, the jars that begin so: Spark has the others. */
const artifacts: Readonly<Record<string, readonly string[]>> = {
  'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.1': ['iceberg-spark-runtime'],
  'org.apache.hadoop:hadoop-aws:3.3.4': ['hadoop-aws', 'aws-java-sdk-bundle'],
}

const findJars = async (): Promise<string[] | string> => {
  const jars: string[] = []
  for (const [artifact, beginnings] of Object.entries(artifacts)) {
    const folder = await fetchJars(artifact)
    if (folder === undefined) return `Maven could not bring ${artifact}.`
    const names = await readdir(folder)
    jars.push(
      ...names
        .filter(name => beginnings.some(beginning => name.startsWith(beginning)))
        .map(name => join(folder, name)),
    )
  }
  return jars
}

/** The script that is deployed, run by PySpark on forks in our S3: each case of loads leaves what functions alone leave. */
export const mergeSuite: ContractSuite = {
  name: NAME,
  run: async () => {
    if ((await findJava(OLDEST_JAVA)) === undefined)
      return { skipped: `There is no Java ${OLDEST_JAVA}, on which Spark runs.` }
    const environment = await fetchPython([PYSPARK])
    if (!environment) return { skipped: `pip could not bring ${PYSPARK}.` }
    const jars = await findJars()
    if (typeof jars === 'string') return { skipped: jars }
    const service = await startStorageService({
      rangeBytes: 300,
      mergeEngine: ({ s3Endpoint }) =>
        sparkMergeEngine({
          s3Endpoint,
          jars,
          environment: { ...process.env, ...environment },
          credentials: rootKey,
        }),
    })
    try {
      const bucketId = await service.createBucket('merges')
      const checks: Check[] = []
      for (const [index, mergeCase] of mergeCases.entries()) {
        const play = (isLarge: boolean) =>
          playMerges(service, bucketId, mergeCase, { name: `t${index}${isLarge ? 'large' : ''}`, isLarge })
        const small = await play(false)
        const large = await play(true)
        const ok = isDeepStrictEqual(large, small)
        const said = ok ? null : `${JSON.stringify(large)} in place of ${JSON.stringify(small)}`
        checks.push({ check: mergeCase.name, ok, said })
      }
      return countChecks(NAME, checks)
    } finally {
      await service.close()
    }
  },
}
