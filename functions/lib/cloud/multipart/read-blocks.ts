import pMap from 'p-map'
import { type ObjectRange, type ReceiveBody, readRange } from './source-object.ts'

/** What is held in memory at a time. A stream of blocks holds one more for each block that is read ahead. */
export const BLOCK_BYTES = 16 * 1024 ** 2

/** Reading small slices is mostly waiting: many parallel requests fill the network. */
const READS_IN_PARALLEL = 8

export const bytesOf = (ranges: readonly ObjectRange[]): number =>
  ranges.reduce((sum, { firstByte, lastByte }) => sum + lastByte - firstByte + 1, 0)

/** Reads all bytes of the ranges, joined, into `block`, which has their length. Default: a new buffer. */
export const readBlock = async (
  ranges: readonly ObjectRange[],
  block: Uint8Array<ArrayBuffer> = new Uint8Array(bytesOf(ranges)),
  receive?: ReceiveBody,
): Promise<Uint8Array<ArrayBuffer>> => {
  let offset = 0
  const reads = ranges.map(range => {
    const length = range.lastByte - range.firstByte + 1
    const target = block.subarray(offset, offset + length)
    offset += length
    return { range, target }
  })
  await pMap(reads, ({ range, target }) => readRange(range, target, receive), {
    concurrency: READS_IN_PARALLEL,
  })
  return block
}

interface ReadBlocksOptions {
  /** Default 16 MiB. */
  blockBytes?: number
  /** How many blocks are read ahead while one is used. Default 1. */
  ahead?: number
  /** Reuse the memory of a block when the next one is requested. Default: the caller keeps each block. */
  isReused?: boolean
  /** How requests are sent. Default: by the SDK. */
  receive?: ReceiveBody
}

/** Like `readBlock`, as a stream of blocks in order and in fixed memory. */
export async function* readBlocks(
  ranges: readonly ObjectRange[],
  { blockBytes = BLOCK_BYTES, ahead = 1, isReused = false, receive }: ReadBlocksOptions = {},
): AsyncGenerator<Uint8Array> {
  const underWay: Promise<Uint8Array<ArrayBuffer>>[] = []
  const free: ArrayBuffer[] = []
  const bufferOf = (bytes: number): Uint8Array<ArrayBuffer> =>
    isReused ? new Uint8Array(free.pop() ?? new ArrayBuffer(blockBytes), 0, bytes) : new Uint8Array(bytes)
  try {
    for (const block of cutBlocks(ranges, blockBytes)) {
      const read = readBlock(block, bufferOf(bytesOf(block)), receive)
      // Awaited when its block is next; until then nobody would hear of its failure.
      read.catch(() => undefined)
      underWay.push(read)
      const next = underWay.length > ahead ? underWay.shift() : undefined
      if (!next) continue
      const ready = await next
      yield ready
      if (isReused) free.push(ready.buffer)
    }
    for (let next = underWay.shift(); next; next = underWay.shift()) yield await next
  } finally {
    await Promise.allSettled(underWay)
  }
}

function* cutBlocks(ranges: readonly ObjectRange[], blockBytes: number): Generator<ObjectRange[]> {
  let block: ObjectRange[] = []
  let room = blockBytes
  for (const { source, firstByte, lastByte } of ranges) {
    for (let first = firstByte; first <= lastByte; ) {
      const last = Math.min(lastByte, first + room - 1)
      block.push({ source, firstByte: first, lastByte: last })
      room -= last - first + 1
      first = last + 1
      if (room > 0) continue
      yield block
      block = []
      room = blockBytes
    }
  }
  if (block.length > 0) yield block
}

/**
 * Buffers of one size, used again and again. Thousands of parts with memory of their own would grow the process far
 * beyond what it holds at any time. The pool makes as many buffers as are in use at once.
 */
export const createBufferPool = (bytes: number) => {
  const free: Uint8Array<ArrayBuffer>[] = []
  return {
    /** Passes a buffer with arbitrary content to `work`, and takes it back when the promise settles. */
    use: async <Result>(work: (buffer: Uint8Array<ArrayBuffer>) => Promise<Result>): Promise<Result> => {
      const buffer = free.pop() ?? new Uint8Array(bytes)
      try {
        return await work(buffer)
      } finally {
        free.push(buffer)
      }
    },
  }
}
