(** Lists without repetitions.

    [NoDup_map_on]   mapped by what is injective on them
    [NoDup_app]      one after the other, with nothing in common
    [map_nth_all]    a list, element by element *)

From Coq Require Import List.
Import ListNotations.

Lemma NoDup_map_on {A B} (phi : A -> B) (l : list A) :
  NoDup l -> (forall a b, In a l -> In b l -> phi a = phi b -> a = b) -> NoDup (map phi l).
Proof.
  induction 1 as [|a l a_new _ IHl]; intros injective; cbn; constructor.
  - intros again. apply in_map_iff in again as (b & same & b_in).
    apply injective in same; [now subst|now right|now left].
  - apply IHl. intros b c b_in c_in. apply injective; now right.
Qed.

Lemma NoDup_app {A} (l m : list A) :
  NoDup l -> NoDup m -> (forall a, In a l -> ~ In a m) -> NoDup (l ++ m).
Proof.
  induction 1 as [|a l a_new _ IHl]; intros m_once apart; cbn; [assumption|]. constructor.
  - rewrite in_app_iff. intros [again|again]; [contradiction|]. now apply (apart a); [left|].
  - apply IHl; [assumption|]. intros b b_in. apply apart. now right.
Qed.

Lemma map_nth_all {A} (d : A) (l : list A) : map (fun i => nth i l d) (seq 0 (length l)) = l.
Proof.
  induction l as [|x l IHl]; [reflexivity|]. cbn [length seq map nth]. f_equal.
  rewrite <- seq_shift, map_map. exact IHl.
Qed.
