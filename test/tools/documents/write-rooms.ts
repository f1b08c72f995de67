import { writeFileSync } from 'node:fs'
import { roomPages, withPicture } from './room-picture.ts'

for (const [path, page] of roomPages()) writeFileSync(path, withPicture(page))
