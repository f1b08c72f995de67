import type { ContractSuite } from './contract-suite.ts'
import { dynamoDbSuite } from './dynamodb-suite.ts'
import { eventRulerSuite } from './event-ruler/event-ruler-suite.ts'
import { machinesSuite } from './machines/machines-suite.ts'
import { runSuites } from './run-suites.ts'
import { motoSuite, versitygwSuite } from './s3-suites.ts'
import { s3TestsSuite } from './s3-tests/s3-tests-suite.ts'
import { templateSuite } from './template-suite.ts'

/** `npm run contracts`, or `npm run contracts -- moto`: all suites, or those that are named. */
const suites: ContractSuite[] = [
  dynamoDbSuite,
  versitygwSuite,
  motoSuite,
  s3TestsSuite,
  machinesSuite,
  eventRulerSuite,
  templateSuite,
]

await runSuites(suites, process.argv.slice(2))
