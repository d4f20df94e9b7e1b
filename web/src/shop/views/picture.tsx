import './picture.css';

/** The picture of goods; the first letter of their name on a quiet ground where there is none. */
export function Picture({ title, imageUrl }: { title: string; imageUrl: string | null }) {
  if (imageUrl !== null) return <img class="picture" src={imageUrl} alt="" loading="lazy" />;
  return <span class="picture" data-ground={[...title].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 4} aria-hidden="true">{[...title][0]}</span>;
}
