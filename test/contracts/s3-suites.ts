import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContractSuite } from './contract-suite.ts'
import { fetchGoCommand, fetchPythonTools, pythonTools } from './implementations/cache.ts'
import { type Implementation, startProcess } from './implementations/start-process.ts'
import { type Differences, runTests } from './run-tests.ts'

/** The credentials that tests use for services that are not in an account. */
const credentials = { accessKeyId: 'test', secretAccessKey: 'test-secret' }

const tests = [
  'test/contracts/s3',
  'test/functions/lib/table-engine/s3-table-files.test.ts',
  'test/functions/lib/cloud/bucket-documents.test.ts',
  'test/functions/lib/cloud/multipart/complete-upload.test.ts',
  'test/functions/lib/distributed/documents.test.ts',
]

const suiteOf = (
  name: string,
  start: () => Promise<Implementation | string>,
  differences: Differences,
  hasOtherServices = false,
): ContractSuite => ({
  name,
  run: async () => {
    const store = await start()
    if (typeof store === 'string') return { skipped: store }
    try {
      return hasOtherServices
        ? await runTests(
            [...tests, 'test/contracts/moto'],
            { MILLRACE_TEST_S3: store.url, MILLRACE_TEST_AWS: store.url },
            { differences },
          )
        : await runTests(tests, { MILLRACE_TEST_S3: store.url }, { differences })
    } finally {
      await store.stop()
    }
  },
})

const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'

const startVersitygw = async (): Promise<Implementation | string> => {
  const command = await fetchGoCommand(VERSITYGW)
  if (command === undefined) return `Go could not bring ${VERSITYGW}.`
  return startProcess('versitygw', async (port, folder) => {
    const [data, versions, sidecar] = ['data', 'versions', 'sidecar'].map(name => join(folder, name))
    for (const each of [data, versions, sidecar]) await mkdir(each ?? '')
    const keys = ['--access', credentials.accessKeyId, '--secret', credentials.secretAccessKey]
    const address = ['--port', `127.0.0.1:${port}`, '--region', 'us-east-1', '--quiet']
    const backend = ['posix', '--versioning-dir', versions ?? '', '--sidecar', sidecar ?? '', data ?? '']
    return { command, given: [...keys, ...address, ...backend] }
  })
}

/** Many services of AWS in one process; a new one is empty. */
const startMoto = async (): Promise<Implementation | string> => {
  const env = await fetchPythonTools()
  if (env === undefined) return `Python could not bring ${pythonTools.join(' and ')}.`
  return startProcess('moto', port => ({
    command: 'python3',
    given: ['-m', 'moto.server', '-p', String(port)],
    env,
  }))
}

const optionalSums =
  'S3 User Guide, "Checking object integrity": with a full object checksum the parts need not be listed with theirs. `npm run smoke` asks an account.'

export const versitygwSuite = suiteOf('versitygw', startVersitygw, {
  'open uploads are listed in pages, by their keys':
    'S3 API Reference, "ListMultipartUploads": the markers of a page are those of the next request; versitygw refuses its own.',
  'an object may be named a//b':
    'S3 User Guide, "Naming Amazon S3 objects": any sequence of Unicode characters. A file system has no such name.',
  'completing an upload whose parts are listed without checksums takes the checksum that S3 works out':
    optionalSums,
  'completing an upload whose parts are listed without checksums finds by its ETag the object whose answer was lost':
    optionalSums,
})

const sums = 'S3 API Reference, "UploadPart", "PutObject": checksums are kept and compared. Moto takes any.'
const conditions = 'S3 API Reference: x-amz-copy-source-if-match. Moto ignores it.'
const pages =
  'S3 API Reference, "ListParts", "ListMultipartUploads": pages in order. Moto lists all as they came.'
const signatures =
  'S3 User Guide, "Signature Version 4": Moto checks no signature, no time and no policy of a form.'

const sessions =
  'STS API Reference, "AssumeRole": a session may do what its policy allows. Moto looks at none.'

const ofMoto: Differences = {
  'a session reads and writes what its policy allows, and nothing else': sessions,
  'a session is refused with another token': sessions,
  'a policy that is no JSON is refused': sessions,
  'parts with checksums become an object with the checksum of the whole': sums,
  'a wrong checksum of the whole is refused': sums,
  'parts are not copied from an object that has moved': conditions,
  'parts are listed in pages': pages,
  'open uploads are listed in pages, by their keys': pages,
  'what was aborted is gone from the list, and takes no parts':
    'S3 API Reference, "UploadPart": NoSuchUpload. Moto ends with a page of HTML.',
  'parts out of order are refused':
    'S3 API Reference, "CompleteMultipartUpload": InvalidPartOrder. Moto takes any order.',
  'an object keeps the CRC32 that it was sent with': sums,
  'an object is refused with a wrong CRC32': sums,
  'an object is copied only as the version that its ETag names': conditions,
  'a version id that no version can have is refused':
    'S3 API Reference, "Error responses": InvalidArgument, "Invalid version id specified". Moto knows no form of them.',
  'a presigned request is refused when it was changed': signatures,
  'a presigned request is refused when its time is over': signatures,
  'a presigned request of a form refuses a file that its policy does not allow': signatures,
  'a text opens under no other key':
    'KMS API Reference, "Decrypt": IncorrectKeyException. Moto answers AccessDeniedException.',
  'an execution that was stopped keeps the reason':
    'Step Functions API Reference, "StopExecution": error and cause. Moto drops them.',
}

export const motoSuite = suiteOf('moto', startMoto, ofMoto, true)
