import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'

export interface MountedFolder {
  readonly path: string
  unmount(): void
}

const run = (command: string, ...given: string[]): void => {
  execFileSync(command, given, { stdio: ['ignore', 'ignore', 'pipe'] })
}

const mount = (path: string, ...given: string[]): MountedFolder => {
  mkdirSync(path, { recursive: true })
  run('mount', ...given, path)
  // Lazily: a program that was stopped in the middle may still hold it.
  return { path, unmount: () => run('umount', '--lazy', path) }
}

/** A small file system in memory, to be filled. */
export const mountMemory = (path: string, size: string): MountedFolder =>
  mount(path, '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs')

/** An ext4 of its own whose disk is one file: what has reached the file is what a power cut leaves. */
export const mountDisk = (path: string, disk: string): MountedFolder => mount(path, '-o', 'loop', disk)

export const makeDisk = (disk: string, bytes: number): void => {
  writeFileSync(disk, '')
  truncateSync(disk, bytes)
  run('mkfs.ext4', '-q', disk)
}

/**
 * The disk as a power cut leaves it at one moment. Whoever writes to it must be stopped; what the kernel still had to write may come
 * while the copy is made, and then it is made again: no disk was ever like half of the one and half of the other.
 */
export const copyDisk = (disk: string, copy: string): void => {
  for (let tries = 0; tries < MOST_COPIES; tries++) {
    copyFileSync(disk, copy)
    if (readFileSync(disk).equals(readFileSync(copy))) return
  }
  throw new Error(`${disk} has changed during each of ${MOST_COPIES} copies`)
}

const MOST_COPIES = 20

/** Why this machine cannot mount (most need the rights of root for it), or nothing when it can. */
export const whyNoMount = (probe: string): string | undefined => {
  if (process.platform !== 'linux') return 'it is not Linux'
  try {
    mountMemory(probe, '1m').unmount()
    makeDisk(`${probe}.disk`, 8 * 1024 * 1024)
    mountDisk(probe, `${probe}.disk`).unmount()
    return undefined
  } catch (error) {
    return String(error)
  }
}
