import { writeFileSync } from 'node:fs'
import { withMachines } from './machine-picture.ts'
import { roomPages, withPicture } from './room-picture.ts'

for (const [path, page] of roomPages()) writeFileSync(path, withMachines(withPicture(page)))
