(** The points of a box of indices.

    [points ns iv]  the lists of indices below ns, each in front of iv, the last index first *)

From Coq Require Import Arith ZArith List Bool Lia.
From Vouch Require Export lib.Lists.
Import ListNotations.

(** ** Points *)

Fixpoint points (ns : list nat) (iv : list nat) : list (list nat) :=
  match ns with
  | [] => [iv]
  | n :: r => flat_map (fun i => points r (i :: iv)) (seq 0 n)
  end.

Lemma points_app a b iv : points (a ++ b) iv = flat_map (points b) (points a iv).
Proof.
  revert iv. induction a as [|n a IHa]; intros iv; cbn; [now rewrite app_nil_r|].
  induction (seq 0 n) as [|i l IHl]; cbn; [reflexivity|]. now rewrite flat_map_app, IHl, IHa.
Qed.

Lemma points_in ns : forall iv w,
  In w (points ns iv) <-> exists u, w = rev u ++ iv /\ Forall2 lt u ns.
Proof.
  induction ns as [|n ns IHns]; intros iv w; cbn.
  - split.
    + intros [<-|[]]. exists []. split; [reflexivity|constructor].
    + intros (u & -> & below). inversion below. now left.
  - rewrite in_flat_map. split.
    + intros (i & i_in & w_in). apply in_seq in i_in. apply IHns in w_in as (u & -> & below).
      exists (i :: u). cbn. rewrite <- app_assoc. split; [reflexivity|]. constructor; [lia|assumption].
    + intros (u & -> & below). inversion below as [|i m v r i_lt below']; subst. exists i.
      split; [apply in_seq; lia|]. apply IHns. exists v. cbn. now rewrite <- app_assoc.
Qed.

Lemma Forall2_length {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; cbn; congruence. Qed.

Lemma points_length ns iv w : In w (points ns iv) -> length w = length ns + length iv.
Proof.
  intros w_in. apply points_in in w_in as (u & -> & below). rewrite app_length, rev_length.
  rewrite (Forall2_length _ _ _ below). lia.
Qed.

Lemma points_at ns w : In w (points ns []) <->
  length w = length ns /\ forall k, k < length ns -> nth k w 0 < nth k (rev ns) 0.
Proof.
  rewrite points_in. split.
  - intros (u & -> & below). rewrite app_nil_r. split.
    + rewrite rev_length. apply (Forall2_length _ _ _ below).
    + intros k k_lt. pose proof (Forall2_length _ _ _ below) as same.
      rewrite !rev_nth by lia. rewrite same.
      assert (all : forall j, nth j u 0 < nth j ns 0 \/ length ns <= j).
      { clear k k_lt same. induction below as [|i n u ns i_lt below IHb]; intros [|j]; cbn; try (right; lia); [now left|].
        destruct (IHb j); [now left|right; lia]. }
      destruct (all (length ns - S k)) as [ok|far]; [assumption|lia].
  - intros [size below]. exists (rev w). rewrite rev_involutive, app_nil_r. split; [reflexivity|].
    assert (all : forall j, j < length ns -> nth j (rev w) 0 < nth j ns 0).
    { intros j j_lt. rewrite rev_nth by lia. specialize (below (length w - S j)).
      rewrite rev_nth in below by lia. replace (length ns - S (length w - S j)) with j in below by lia.
      apply below. lia. }
    assert (rsize : length (rev w) = length ns) by now rewrite rev_length.
    revert all rsize. clear. generalize (rev w) as u. induction ns as [|n ns IHns]; intros [|i u] all size;
      cbn in size; try discriminate; constructor.
    + apply (all 0). cbn. lia.
    + apply IHns; [|lia]. intros j j_lt. apply (all (S j)). cbn. lia.
Qed.

Lemma points_once ns : forall iv, NoDup (points ns iv).
Proof.
  induction ns as [|n ns IHns]; intros iv; cbn; [constructor; [easy|constructor]|].
  pose proof (seq_NoDup n 0) as once. induction once as [|k l k_new _ IHl]; cbn; [constructor|].
  apply NoDup_app; [apply IHns|assumption|].
  intros w w_in again. apply in_flat_map in again as (j & j_in & again).
  apply points_in in w_in as (u & -> & below), again as (v & same & below').
  assert (u = v /\ k = j) as [_ <-]; [|contradiction].
  pose proof (Forall2_length _ _ _ below) as size. rewrite <- (Forall2_length _ _ _ below') in size.
  apply (f_equal (@rev nat)) in same. rewrite !rev_app_distr, !rev_involutive in same. cbn in same.
  rewrite <- !app_assoc in same. apply app_inv_head in same. cbn in same. now injection same.
Qed.
