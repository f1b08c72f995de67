import type { ContractSuite } from './contract-suite.ts'
import { dynamoDbSuite } from './dynamodb-suite.ts'
import { eventRulerSuite } from './event-ruler/event-ruler-suite.ts'
import { plantedSuite } from './planted/planted-suite.ts'
import { motoS3Suite, versitygwSuite } from './s3-suites.ts'
import { templateSuite } from './template-suite.ts'
import { trinoSuite } from './trino/trino-suite.ts'

/** `npm run contracts`, or `npm run contracts -- trino`: all suites, or those that are named. */
const suites: ContractSuite[] = [
  dynamoDbSuite,
  versitygwSuite,
  motoS3Suite,
  eventRulerSuite,
  templateSuite,
  plantedSuite,
  trinoSuite,
]

const asked = process.argv.slice(2)
const unknown = asked.filter(name => suites.every(suite => suite.name !== name))
if (unknown.length > 0) {
  console.error(
    `There is no suite ${unknown.join(', ')}: there are ${suites.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(1)
}
const sum = { passed: 0, failed: 0 }
for (const { name, run } of suites.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const result = await run()
  if ('skipped' in result) {
    console.log(`${name}: skipped. ${result.skipped}`)
    continue
  }
  const { passed, failed, differing = 0 } = result
  console.log(`${name}: ${passed} passed, ${failed} failed, ${differing} different as listed`)
  sum.passed += passed
  sum.failed += failed
}
console.log(`${sum.passed} passed, ${sum.failed} failed`)
process.exitCode = sum.failed === 0 ? 0 : 1
