interface Edit {
  readonly file: string
  /** Found exactly once, so that nothing is planted silently. */
  readonly from: string
  readonly to: string
}

interface PlantedFault {
  readonly name: string
  /** On both sides where there are two: in the product, and in what stands for AWS in its tests. */
  readonly edits: readonly Edit[]
  /** A test that rests on something else than our reading: a captured event or reply, or what others answer, too. */
  readonly caughtBy: string
}

const gateway = 'functions/storage-api/gateway.ts'
const localEvent = 'local/runtime/gateway/gateway-event.ts'
const capturedEvents = 'test/functions/storage-api/gateway.test.ts'
const capturedReplies = 'test/contracts/s3/documented-replies.test.ts'

/** Misreadings of AWS, each planted so that our own two sides agree. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'cookies come in a header',
    edits: [
      {
        file: gateway,
        from: "printable(cookies.length > 0 ? { ...headers, cookie: cookies.join('; ') } : headers)",
        to: 'printable(headers)',
      },
      { file: localEvent, from: "if (name === 'cookie') cookies", to: "if (name === 'none') cookies" },
    ],
    caughtBy: capturedEvents,
  },
  {
    name: 'cookies of a reply are dropped',
    edits: [
      { file: gateway, from: '...(cookies.length > 0 && { cookies }),', to: '' },
      {
        file: 'local/runtime/gateway/gateway-event.ts',
        from: "if (cookies.length > 0) response.setHeader('set-cookie', cookies)",
        to: '',
      },
    ],
    caughtBy: capturedEvents,
  },
  {
    name: 'the path comes encoded, and is decoded twice',
    edits: [
      { file: gateway, from: "parts.map(encodeURIComponent).join('/')", to: "parts.join('/')" },
      { file: localEvent, from: '{ path: decodeURIComponent(path),', to: '{ path,' },
    ],
    caughtBy: capturedEvents,
  },
  {
    name: 'characters are counted for bytes',
    edits: [
      {
        file: gateway,
        from: 'Buffer.byteLength(JSON.stringify(result)) > MAX_RESULT_BYTES',
        to: 'JSON.stringify(result).length > MAX_RESULT_BYTES',
      },
      {
        file: 'local/runtime/gateway/gateway-event.ts',
        from: 'Buffer.byteLength(json) > MAX_RESULT_BYTES',
        to: 'json.length > MAX_RESULT_BYTES',
      },
    ],
    caughtBy: capturedEvents,
  },
  {
    name: 'a batch may hold an item twice',
    edits: [
      {
        file: 'test/support/dynamodb-limits.ts',
        from: 'JSON.stringify([pk, sk]))).size < keys.length',
        to: 'JSON.stringify([pk, sk]))).size < 0',
      },
    ],
    caughtBy: 'test/support/memory-item-table.property.test.ts',
  },
  {
    name: 'a conflict of conditional writes has another name',
    edits: [
      {
        file: 'functions/lib/aws/bucket-documents.ts',
        from: "error.name === 'ConditionalRequestConflict'",
        to: "error.name === 'OperationAborted'",
      },
      {
        file: 'test/support/conflicting-writes.ts',
        from: "name: 'ConditionalRequestConflict'",
        to: "name: 'OperationAborted'",
      },
    ],
    caughtBy: capturedReplies,
  },
  {
    name: 'a completion that begins with 200 is done',
    edits: [
      {
        file: 'functions/lib/aws/multipart/multipart-upload.ts',
        from: 'const head = await headObject(upload).catch(() => undefined)',
        to: "if (error instanceof Error && error.name === 'InternalError') return { etag: '', bytes, checksum: '' }\n    const head = await headObject(upload).catch(() => undefined)",
      },
    ],
    caughtBy: capturedReplies,
  },
  {
    name: 'a list of uploads is one page',
    edits: [
      {
        file: 'functions/lib/aws/multipart/list-uploads.ts',
        from: 'if (!page.IsTruncated) return',
        to: 'return',
      },
      {
        file: 'local/s3/operations/request-arguments.ts',
        from: 'return Math.min(Number(value), mostAtOnce)',
        to: 'return mostAtOnce',
      },
    ],
    caughtBy: capturedReplies,
  },
  {
    name: 'a write on condition is done without it',
    edits: [
      {
        file: 'local/s3/http/preconditions.ts',
        from: 'ifAbsent: ifNoneMatch !== undefined,',
        to: 'ifAbsent: false,',
      },
    ],
    caughtBy: 'test/contracts/s3/object-calls.test.ts',
  },
  {
    name: 'a token that has ended early is kept',
    edits: [
      {
        file: 'functions/lib/storage-client/storage-token.ts',
        from: 'known && !isRefused && now()',
        to: 'known && now()',
      },
    ],
    caughtBy: 'test/functions/lib/storage-client/storage-token.test.ts',
  },
]
