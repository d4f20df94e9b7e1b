import { ApiProperty } from '@nestjs/swagger';
import { TOKEN_PLACES, type OddToken, type TokenPlace } from '../token-proof.js';

export class OddTokenView implements OddToken {
  @ApiProperty({ type: 'integer' }) serial!: number;
  @ApiProperty({ enum: TOKEN_PLACES, isArray: true, description: 'Empty: missing. Several: in more places than one' }) places!: TokenPlace[];
}

export class ItemProofView {
  @ApiProperty() itemId!: string;
  @ApiProperty({ type: 'integer', description: 'Serials 1..stock exist, the withdrawn ones included' }) stock!: number;
  @ApiProperty({ type: 'integer' }) inList!: number;
  @ApiProperty({ type: 'integer' }) claimed!: number;
  @ApiProperty({ type: 'integer' }) held!: number;
  @ApiProperty({ type: 'integer' }) returning!: number;
  @ApiProperty({ type: 'integer' }) withdrawn!: number;
  @ApiProperty({ type: [OddTokenView] }) odd!: OddTokenView[];
}

/** Where every token of a sale is. */
export class ProofView {
  @ApiProperty({ description: 'True exactly when every serial is in one place' }) ok!: boolean;
  @ApiProperty({ description: 'Whether the state stands in Redis; before that, free tokens are in no list' }) loaded!: boolean;
  @ApiProperty({ type: [ItemProofView] }) items!: ItemProofView[];
}
