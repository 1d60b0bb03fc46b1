(** Tensors as runs of cells, row-major, with extents that are numbers.

    [count X]              the number of cells
    [flat X indices]       the cell of an element; [unflat X a] the element of a cell
    [within X indices]     every index is below its extent
    [extents_of d]         the extents of an array type, if they are numbers
    [place_is_flat]        the address of an element in a kernel's memory is its cell
    [tensor_at X c]        the tensor whose cells are c
    [ikernel_val_within]   a kernel depends on elements within its inputs alone *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import lower.OffsetProof index.Kernel index.Lower.
Import ListNotations.

Fixpoint count (X : list N) : N :=
  match X with
  | [] => 1
  | n :: Y => n * count Y
  end%N.

Fixpoint flat (X : list N) (indices : list nat) : nat :=
  match X, indices with
  | _ :: Y, i :: more => i * N.to_nat (count Y) + flat Y more
  | _, _ => 0
  end.

Fixpoint unflat (X : list N) (a : nat) : list nat :=
  match X with
  | [] => []
  | _ :: Y => a / N.to_nat (count Y) :: unflat Y (a mod N.to_nat (count Y))
  end.

Definition within (X : list N) (indices : list nat) : Prop :=
  Forall2 lt indices (map N.to_nat X).

Lemma flat_below X : forall indices, within X indices -> flat X indices < N.to_nat (count X).
Proof.
  induction X as [|n Y IHY]; intros indices inside; inversion inside as [|i m more ms i_lt rest].
  - simpl. lia.
  - specialize (IHY more rest). simpl flat. simpl count. rewrite N2Nat.inj_mul. nia.
Qed.

Lemma unflat_within X : forall a, a < N.to_nat (count X) -> within X (unflat X a).
Proof.
  induction X as [|n Y IHY]; intros a a_lt; [constructor|].
  simpl in a_lt. rewrite N2Nat.inj_mul in a_lt.
  assert (some : N.to_nat (count Y) <> 0) by (intros none; rewrite none in a_lt; lia).
  constructor; [|apply IHY, Nat.mod_upper_bound, some].
  apply Nat.div_lt_upper_bound; [exact some | lia].
Qed.

Lemma flat_unflat X : forall a, a < N.to_nat (count X) -> flat X (unflat X a) = a.
Proof.
  induction X as [|n Y IHY]; intros a a_lt.
  - simpl in *. lia.
  - simpl in a_lt. rewrite N2Nat.inj_mul in a_lt.
    assert (some : N.to_nat (count Y) <> 0) by (intros none; rewrite none in a_lt; lia).
    simpl. rewrite IHY by apply Nat.mod_upper_bound, some.
    pose proof (Nat.div_mod a (N.to_nat (count Y)) some). lia.
Qed.

(** ** Types *)

Definition numbered (X : list N) : list size := map SConst X.

Fixpoint extents_of (d : ty) : option (list N) :=
  match d with
  | TNum => Some []
  | TAry (SConst n) e => option_map (cons n) (extents_of e)
  | _ => None
  end.

Fixpoint numbers (l : list size) : option (list N) :=
  match l with
  | [] => Some []
  | SConst n :: more => option_map (cons n) (numbers more)
  | _ => None
  end.

Lemma extents_of_sound d : forall X, extents_of d = Some X -> d = array_ty (numbered X).
Proof.
  induction d as [|n d IHd|d1 IH1 d2 IH2]; intros X found; simpl in found.
  - injection found as found. subst X. reflexivity.
  - destruct n as [v|n|a b|a b|p v]; try discriminate found.
    destruct (extents_of d) as [Y|]; [|discriminate found].
    injection found as found. subst X. simpl. f_equal. apply IHd. reflexivity.
  - discriminate found.
Qed.

Lemma numbers_sound l : forall X, numbers l = Some X -> l = numbered X.
Proof.
  induction l as [|n l IHl]; intros X found; simpl in found.
  - injection found as found. subst X. reflexivity.
  - destruct n as [v|n|a b|a b|p v]; try discriminate found.
    destruct (numbers l) as [Y|]; [|discriminate found].
    injection found as found. subst X. simpl. f_equal. apply IHl. reflexivity.
Qed.

Lemma numbered_val sg X : map (size_val sg) (numbered X) = map N.to_nat X.
Proof. unfold numbered. rewrite map_map. reflexivity. Qed.

Lemma cells_is_count sg X : cells (ty_val sg (array_ty (numbered X))) = N.to_nat (count X).
Proof.
  induction X as [|n Y IHY]; [reflexivity|].
  simpl. rewrite N2Nat.inj_mul, <- IHY. reflexivity.
Qed.

Lemma place_is_flat sg X : forall indices, within X indices ->
  inb (ty_val sg (array_ty (numbered X))) (map Ix indices) /\
  place_of (ty_val sg (array_ty (numbered X))) (map Ix indices) = flat X indices.
Proof.
  induction X as [|n Y IHY]; intros indices inside; inversion inside as [|i m more ms i_lt rest].
  - split; [exact I | reflexivity].
  - destruct (IHY more rest) as [inside1 same]. simpl. split; [split; assumption|].
    rewrite same. f_equal. f_equal. apply cells_is_count.
Qed.

(** ** Values *)

Definition tensor_at {K : scalars} (X : list N) (c : nat -> num K) : tensor K :=
  fun indices => c (flat X indices).

Definition tensors_at {K : scalars} (shapes : list (list N)) (args : list (nat -> num K))
  : list (tensor K) :=
  map (fun p => tensor_at (fst p) (snd p)) (combine shapes args).

(** The same tensors, as far as the elements within these extents tell. *)
Definition alike {K : scalars} (shapes : list (list N)) (ts us : list (tensor K)) : Prop :=
  length ts = length us /\
  forall t X indices, nth_error shapes t = Some X -> within X indices ->
    read K ts t indices = read K us t indices.

Lemma all_inside_within sg iv s X : map snd s = numbered X -> all_inside sg iv s = true ->
  within X (map (fun p => Z.to_nat (iterm_val sg iv (fst p))) s).
Proof.
  revert X. induction s as [|[t n] s IHs]; intros X shape inside; destruct X as [|m Y];
    try discriminate shape; [constructor|].
  injection shape as n_is shape. subst n. simpl in inside.
  apply andb_true_iff in inside as [here rest].
  constructor; [|apply IHs; assumption].
  unfold Kernel.inside in here. simpl in here.
  apply andb_true_iff in here as [low high].
  apply Z.leb_le in low. apply Z.ltb_lt in high. simpl. lia.
Qed.

Section CONGRUENCE.
  Context (sg : nat -> nat) (K : scalars) (shapes : list (list N)) (ts us : list (tensor K)).
  Context (ALIKE : alike shapes ts us) (SAME : length shapes = length ts).

  Lemma body_val_within iv b : body_reads_ok (map numbered shapes) b = true ->
    body_val sg K iv ts b = body_val sg K iv us b.
  Proof using ALIKE SAME.
    destruct ALIKE as [lengths reads].
    induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
      simpl; intros fits; repeat rewrite andb_true_iff in fits.
    - reflexivity.
    - reflexivity.
    - destruct (all_inside sg iv s) eqn:inside; [|reflexivity].
      rewrite nth_error_map in fits. destruct (nth_error shapes t) as [X|] eqn:shape.
      + simpl in fits. unfold same_extents in fits.
        destruct (list_eq_dec size_eq_dec (map snd s) (numbered X)) as [is_X|]; [|discriminate fits].
        apply (reads t X); [exact shape|]. apply (all_inside_within sg); assumption.
      + apply nth_error_None in shape. unfold read.
        rewrite !nth_overflow by lia. reflexivity.
    - destruct fits as [fits_x fits]. rewrite IHx by exact fits_x. apply gathered_ext. intros k k_lt.
      unfold element_at. destruct (all_inside sg iv s) eqn:in_s; [|reflexivity].
      destruct (all_inside sg iv r) eqn:in_r; [|reflexivity]. cbn [andb].
      rewrite nth_error_map in fits. destruct (nth_error shapes t) as [X|] eqn:shape.
      + simpl in fits. unfold same_extents in fits.
        destruct (list_eq_dec size_eq_dec (map snd s ++ n :: map snd r) (numbered X)) as [is_X|]; [|discriminate fits].
        apply (reads t X); [exact shape|].
        pose proof (all_inside_within sg iv (s ++ (ICon (Z.of_nat k), n) :: r) X) as WITHIN.
        rewrite !map_app in WITHIN. cbn [map fst snd iterm_val] in WITHIN. rewrite Nat2Z.id in WITHIN.
        apply WITHIN; [exact is_X|].
        assert (here : Kernel.inside (iterm_val sg iv (ICon (Z.of_nat k))) (size_val sg n) = true).
        { apply andb_true_iff. split; [apply Z.leb_le; apply Nat2Z.is_nonneg|]. apply Z.ltb_lt, inj_lt, k_lt. }
        unfold all_inside in *. rewrite forallb_app, in_s. cbn [forallb fst snd]. rewrite here, in_r. reflexivity.
      + apply nth_error_None in shape. unfold read. rewrite !nth_overflow by lia. reflexivity.
    - rewrite IHa by exact fits. reflexivity.
    - rewrite IHa, IHc by tauto. reflexivity.
    - rewrite IHa, IHc, IHd by tauto. reflexivity.
    - rewrite IHa, IHc by tauto. reflexivity.
  Qed.

  Lemma fold_val_within c b : body_reads_ok (map numbered shapes) b = true ->
    forall loops iv a, fold_val sg K loops c b iv ts a = fold_val sg K loops c b iv us a.
  Proof using ALIKE SAME.
    intros fits loops. induction loops as [|n inner IHinner]; intros iv a; simpl.
    - destruct (icond_val sg iv c); [|reflexivity]. rewrite (body_val_within iv b fits). reflexivity.
    - induction (size_val sg n) as [|m IHm]; [reflexivity|].
      simpl. rewrite IHm, IHinner. reflexivity.
  Qed.

  Lemma summand_val_within iv s : body_reads_ok (map numbered shapes) (su_body s) = true ->
    summand_val sg K iv ts s = summand_val sg K iv us s.
  Proof using ALIKE SAME.
    intros fits. unfold summand_val. destruct (su_loops s) as [|n inner].
    - rewrite (body_val_within iv _ fits). reflexivity.
    - apply fold_val_within, fits.
  Qed.

  Lemma statement_val_within s indices : statement_reads_ok (map numbered shapes) s = true ->
    statement_val sg K ts s indices = statement_val sg K us s indices.
  Proof using ALIKE SAME.
    unfold statement_val, statement_reads_ok. intros fits. rewrite forallb_forall in fits.
    destruct (st_summands s) as [|first more]; [reflexivity|]. simpl.
    rewrite summand_val_within by (apply fits; left; reflexivity).
    assert (rest : forall r, In r more -> body_reads_ok (map numbered shapes) (su_body r) = true).
    { intros r r_in. apply fits. right. exact r_in. }
    clear fits. generalize (summand_val sg K (rev indices) us first).
    induction more as [|r more IHmore]; intros a; [reflexivity|]. simpl.
    rewrite (summand_val_within _ r) by (apply rest; left; reflexivity).
    apply IHmore. intros q q_in. apply rest. right. exact q_in.
  Qed.
End CONGRUENCE.

(** The extents of locals are numbers. *)
Definition locals_numbered (l : list statement) : bool :=
  forallb (fun s => match numbers (st_extents s) with Some _ => true | None => false end) l.

Lemma ikernel_val_within sg K shapes ts us k indices :
  alike (K := K) shapes ts us -> length shapes = length ts -> locals_numbered (ik_locals k) = true ->
  locals_reads_ok (map numbered shapes) (ik_locals k) (ik_output k) = true ->
  ikernel_val sg K ts k indices = ikernel_val sg K us k indices.
Proof.
  unfold ikernel_val. generalize (ik_output k) as last. intros last. revert shapes ts us.
  induction (ik_locals k) as [|s more IH]; intros shapes ts us ALIKE same numbered_all fits.
  - apply (statement_val_within sg K shapes); assumption.
  - cbn [locals_numbered forallb locals_reads_ok locals_val] in *.
    destruct (numbers (st_extents s)) as [X|] eqn:extents; [|discriminate numbered_all].
    apply andb_true_iff in fits as [fits_s fits].
    apply (IH (X :: shapes)); [| cbn [length]; congruence | exact numbered_all |].
    + destruct ALIKE as [lengths reads]. split; [cbn [length]; congruence|].
      intros [|t] Y at_t shape inside; [|exact (reads t Y at_t shape inside)].
      apply (statement_val_within sg K shapes); [split; assumption | exact same | exact fits_s].
    + cbn [map]. rewrite <- (numbers_sound _ _ extents). exact fits.
Qed.
