import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Disk, type DiskFile, realDisk } from '../../local/durable/disk.ts'

/** A file's bytes, whatever its name is just now; or that the name is a folder's. */
type Node = { kind: 'folder' } | { kind: 'file'; bytes: Buffer; synced: number }

/** One change of a folder's names. It reaches the disk whole or not at all. */
type Change = ReadonlyMap<string, Node | undefined>

interface Folder {
  /** What a power cut leaves for certain. */
  readonly durable: Map<string, Node>
  readonly current: Map<string, Node>
  unsynced: Change[]
}

/**
 * The real disk, and beside it what of it would be left after a power cut: everything that was synced, and a random
 * part of what was not, both of the bytes of files and of the names in folders.
 *
 * Databases that sync their own files are copied when they say that they have. It begins with what `root` holds.
 */
export class RecordingDisk implements Disk {
  /** Called before and after each thing that is asked of the disk: where the power may be cut. */
  onStep: (() => void) | undefined
  readonly #root: string
  readonly #folders = new Map<string, Folder>()
  readonly #databases = new Map<string, ReadonlyMap<string, Buffer>>()

  constructor(root: string) {
    this.#root = root
    this.#load(root)
  }

  create = async (path: string, mode: number): Promise<DiskFile> => {
    this.onStep?.()
    const file = await realDisk.create(path, mode)
    const node = { kind: 'file' as const, bytes: Buffer.alloc(0), synced: 0 }
    this.#change(dirname(path), new Map([[basename(path), node]]))
    this.onStep?.()
    return {
      write: async buffers => {
        const bytes = Buffer.concat(buffers)
        const count = await file.write([bytes])
        node.bytes = Buffer.concat([node.bytes, bytes.subarray(0, count)])
        this.onStep?.()
        return count
      },
      sync: async () => {
        const { length } = node.bytes
        this.onStep?.()
        await setImmediate()
        node.synced = Math.max(node.synced, length)
        this.onStep?.()
      },
      close: () => file.close(),
    }
  }

  rename = async (from: string, to: string): Promise<void> => {
    this.onStep?.()
    await realDisk.rename(from, to)
    const node = this.#folder(dirname(from)).current.get(basename(from))
    if (dirname(from) !== dirname(to)) throw new Error(`${from} is renamed out of its folder`)
    this.#change(
      dirname(to),
      new Map([
        [basename(from), undefined],
        [basename(to), node],
      ]),
    )
    this.onStep?.()
  }

  remove = async (path: string): Promise<void> => {
    this.onStep?.()
    await realDisk.remove(path)
    this.#change(dirname(path), new Map([[basename(path), undefined]]))
    this.onStep?.()
  }

  makeFolder = async (path: string, mode: number): Promise<string[]> => {
    const made = await realDisk.makeFolder(path, mode)
    for (const folder of made)
      this.#change(dirname(folder), new Map([[basename(folder), { kind: 'folder' }]]))
    this.onStep?.()
    return made
  }

  syncFolder = async (path: string): Promise<void> => {
    const folder = this.#folder(path)
    const { length } = folder.unsynced
    this.onStep?.()
    await setImmediate()
    for (const change of folder.unsynced.splice(0, length)) apply(change, folder.durable)
    this.onStep?.()
  }

  databaseSynced = (path: string): void => {
    const { current } = this.#folder(path)
    const files = readdirSync(path, { withFileTypes: true }).filter(entry => entry.isFile())
    // What was there at the start is the database's own; what came later by way of this disk is not.
    for (const { name } of files) if (!this.#databases.has(path)) current.delete(name)
    const own = files.filter(({ name }) => !current.has(name))
    this.#databases.set(path, new Map(own.map(({ name }) => [name, readFileSync(join(path, name))])))
    this.onStep?.()
  }

  /** Writes to `target` what a power cut at this moment leaves. `random` gives numbers from 0 to 1. */
  cut(target: string, random: () => number): void {
    this.#leave(this.#root, target, random)
  }

  #leave(path: string, target: string, random: () => number): void {
    mkdirSync(target, { recursive: true })
    const folder = this.#folders.get(path)
    const names = new Map(folder?.durable)
    for (const change of folder?.unsynced ?? []) if (random() < 0.5) apply(change, names)
    const database = this.#databases.get(path)
    for (const [name, bytes] of database ?? []) writeFileSync(join(target, name), bytes)
    for (const [name, node] of names) {
      if (node.kind === 'folder') this.#leave(join(path, name), join(target, name), random)
      else if (!database || folder?.current.has(name)) {
        const left = node.synced + Math.floor(random() * (node.bytes.length - node.synced + 1))
        writeFileSync(join(target, name), node.bytes.subarray(0, left))
      }
    }
  }

  #folder(path: string): Folder {
    const known = this.#folders.get(path)
    if (known) return known
    const folder = { durable: new Map(), current: new Map(), unsynced: [] }
    this.#folders.set(path, folder)
    return folder
  }

  #change(path: string, change: Change): void {
    const folder = this.#folder(path)
    apply(change, folder.current)
    folder.unsynced.push(change)
  }

  #load(path: string): void {
    const folder = this.#folder(path)
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name)
      const bytes = entry.isDirectory() ? Buffer.alloc(0) : readFileSync(inner)
      const node: Node = entry.isDirectory()
        ? { kind: 'folder' }
        : { kind: 'file', bytes, synced: bytes.length }
      folder.durable.set(entry.name, node)
      folder.current.set(entry.name, node)
      if (entry.isDirectory()) this.#load(inner)
    }
  }
}

const apply = (change: Change, names: Map<string, Node>): void => {
  for (const [name, node] of change)
    if (node === undefined) names.delete(name)
    else names.set(name, node)
}
