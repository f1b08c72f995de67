import { type Disk, realDisk } from '../../local/durable/disk.ts'

/** The real disk, on which no byte more fits while `isFull`. */
export const fillableDisk = () => {
  const state = { isFull: false }
  const check = async (): Promise<void> => {
    if (state.isFull)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  const disk: Disk = {
    ...realDisk,
    create: async (path, mode) => {
      const file = await realDisk.create(path, mode)
      return {
        ...file,
        write: async buffers => {
          await check()
          return file.write(buffers)
        },
      }
    },
  }
  return { disk, state }
}
