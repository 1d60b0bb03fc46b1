(** One program for each text.

    Different programs may be printed alike: [(a + b)] is a sum of sizes or of index terms, and
    sequences are printed without brackets. The canonical program has index arithmetic down to
    single sizes, sequences nested to the right, and reads a scalar output as element 0.

    [canonical out c]   with output variable out
    [canonical_exec] [canonical_safe] [canonical_int64]   it means the same *)

From Coq Require Import ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Safety imp.Flat imp.Int64.
Import ListNotations.

Fixpoint size_index (s : size) : ixe :=
  match s with
  | SVar _ | SConst _ => XSize s
  | SAdd a b => XAdd (size_index a) (size_index b)
  | SMul a b => XMul (size_index a) (size_index b)
  | SPart p v => part_index p v
  end.

Fixpoint canonical_index (e : ixe) : ixe :=
  match e with
  | XVar i => XVar i
  | XSize s => size_index s
  | XAdd a b => XAdd (canonical_index a) (canonical_index b)
  | XSub a b => XSub (canonical_index a) (canonical_index b)
  | XMul a b => XMul (canonical_index a) (canonical_index b)
  | XDiv a b => XDiv (canonical_index a) (canonical_index b)
  | XMod a b => XMod (canonical_index a) (canonical_index b)
  end.

Fixpoint canonical_guard (g : guard) : guard :=
  match g with
  | GLess a b => GLess (canonical_index a) (canonical_index b)
  | GEqual a b => GEqual (canonical_index a) (canonical_index b)
  | GAnd g1 g2 => GAnd (canonical_guard g1) (canonical_guard g2)
  | GOr g1 g2 => GOr (canonical_guard g1) (canonical_guard g2)
  | GNot g1 => GNot (canonical_guard g1)
  end.

Definition canonical_access (out v : nat) (i : option ixe) : option ixe :=
  match i with
  | Some e => Some (canonical_index e)
  | None => if Nat.eqb v out then Some (XSize (SConst 0)) else None
  end.

Fixpoint canonical_exp (out : nat) (e : fexp) : fexp :=
  match e with
  | FRead v i => FRead v (canonical_access out v i)
  | FConst c => FConst c
  | FIndex i => FIndex (canonical_index i)
  | FOp1 o e1 => FOp1 o (canonical_exp out e1)
  | FOp2 o e1 e2 => FOp2 o (canonical_exp out e1) (canonical_exp out e2)
  | FOp3 o e1 e2 e3 =>
      FOp3 o (canonical_exp out e1) (canonical_exp out e2) (canonical_exp out e3)
  | FIf g e1 e2 => FIf (canonical_guard g) (canonical_exp out e1) (canonical_exp out e2)
  end.

Definition canonical_pairs (l : list (ixe * ixe)) : list (ixe * ixe) :=
  map (fun p => (canonical_index (fst p), canonical_index (snd p))) l.

(** c1, then c2, nested to the right where c1 is. *)
Fixpoint append (c1 c2 : fcomm) : fcomm :=
  match c1 with
  | FSeq a b => FSeq a (append b c2)
  | FSkip | FAssign _ _ _ | FNew _ _ _ | FFor _ _ _ _ | FWithin _ _ _ _ _ => FSeq c1 c2
  end.

Fixpoint canonical (out : nat) (c : fcomm) : fcomm :=
  match c with
  | FSkip => FSkip
  | FSeq c1 c2 => append (canonical out c1) (canonical out c2)
  | FAssign v i e => FAssign v (canonical_access out v i) (canonical_exp out e)
  | FNew v n c1 => FNew v n (canonical out c1)
  | FFor k i n c1 => FFor k i n (canonical out c1)
  | FWithin i n lo hi c1 => FWithin i n (canonical_pairs lo) (canonical_pairs hi) (canonical out c1)
  end.

Section MEANING.
  Context (sg : nat -> nat).

  Lemma canonical_index_val ie e : ixe_val sg ie (canonical_index e) = ixe_val sg ie e.
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl;
      rewrite ?IHa, ?IHb; auto.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; simpl; rewrite ?IHa, ?IHb; try reflexivity.
    apply part_index_val.
  Qed.

  Lemma canonical_index_safe ie e : ixe_safe sg ie e -> ixe_safe sg ie (canonical_index e).
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl;
      rewrite ?canonical_index_val; try tauto.
    intros _. induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; simpl; auto. apply part_index_safe.
  Qed.

  Lemma canonical_index_type e : ixe_type (canonical_index e) = ixe_type e.
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl;
      rewrite ?IHa, ?IHb; auto.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; simpl; rewrite ?IHa, ?IHb; try reflexivity.
    apply part_index_type.
  Qed.

  Lemma canonical_index_int64 ie e : int64 sg ie (canonical_index e) = int64 sg ie e.
  Proof.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb]; simpl;
      rewrite ?IHa, ?IHb, ?canonical_index_type; auto.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; [| | | |apply part_index_int64]; simpl; try reflexivity;
      change (size_index a) with (canonical_index (XSize a));
      change (size_index b) with (canonical_index (XSize b));
      rewrite ?canonical_index_type; simpl; rewrite ?IHa, ?IHb; reflexivity.
  Qed.

  Lemma canonical_guard_val ie g : guard_val sg ie (canonical_guard g) = guard_val sg ie g.
  Proof.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl;
      rewrite ?canonical_index_val, ?IH1, ?IH2; reflexivity.
  Qed.

  Lemma canonical_guard_safe ie g : guard_safe sg ie g -> guard_safe sg ie (canonical_guard g).
  Proof.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; try tauto;
      intros [safe1 safe2]; auto using canonical_index_safe.
  Qed.

  Lemma canonical_guard_computed ie g :
    guard_computed sg ie g -> guard_computed sg ie (canonical_guard g).
  Proof.
    induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; try tauto;
      unfold computed; rewrite !canonical_index_int64, !canonical_index_val; auto.
  Qed.

  Lemma canonical_difference ie p :
    pair_difference sg ie (canonical_index (fst p), canonical_index (snd p)) = pair_difference sg ie p.
  Proof. unfold pair_difference. cbn [fst snd]. rewrite !canonical_index_val. reflexivity. Qed.

  Lemma canonical_first ie lo : first_of sg ie (canonical_pairs lo) = first_of sg ie lo.
  Proof.
    induction lo as [|p lo IHlo]; [reflexivity|]. cbn [canonical_pairs map first_of fold_right] in *.
    rewrite canonical_difference. f_equal. exact IHlo.
  Qed.

  Lemma canonical_count ie n lo hi :
    count_of sg ie n (canonical_pairs lo) (canonical_pairs hi) = count_of sg ie n lo hi.
  Proof.
    unfold count_of. rewrite canonical_first. f_equal.
    induction hi as [|p hi IHhi]; [reflexivity|]. cbn [canonical_pairs map end_of fold_right] in *.
    rewrite canonical_difference. f_equal. exact IHhi.
  Qed.

  Lemma canonical_pairs_safe ie l : pairs_safe sg ie l -> pairs_safe sg ie (canonical_pairs l).
  Proof.
    unfold pairs_safe. induction 1 as [|p l [safe_a safe_b] _ IH]; constructor; [|exact IH].
    split; apply canonical_index_safe; assumption.
  Qed.

  Lemma canonical_pairs_computed ie l : pairs_computed sg ie l -> pairs_computed sg ie (canonical_pairs l).
  Proof.
    unfold pairs_computed, pair_computed, computed.
    induction 1 as [|p l exact_p _ IH]; constructor; [|exact IH]. cbn [fst snd].
    rewrite !canonical_index_int64, !canonical_index_val. exact exact_p.
  Qed.

  Lemma append_exec K junk c1 : forall c2 ie m,
    fexec sg K junk (append c1 c2) ie m = fexec sg K junk c2 ie (fexec sg K junk c1 ie m).
  Proof.
    induction c1 as [|a IHa b IHb|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros c2 ie m; try reflexivity.
    simpl. apply IHb.
  Qed.

  Lemma append_writes c1 c2 ie l :
    fcomm_writes sg (append c1 c2) ie l <-> fcomm_writes sg c1 ie l \/ fcomm_writes sg c2 ie l.
  Proof.
    induction c1 as [|a IHa b IHb|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; try reflexivity.
    simpl. rewrite IHb. tauto.
  Qed.

  Lemma append_reads c1 c2 ie l :
    fcomm_reads sg (append c1 c2) ie l <-> fcomm_reads sg c1 ie l \/ fcomm_reads sg c2 ie l.
  Proof.
    induction c1 as [|a IHa b IHb|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; try reflexivity.
    simpl. rewrite IHb. tauto.
  Qed.

  Lemma append_safe extent c1 c2 ie :
    fcomm_safe sg extent c1 ie -> fcomm_safe sg extent c2 ie ->
    fcomm_safe sg extent (append c1 c2) ie.
  Proof.
    induction c1 as [|a IHa b IHb|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; try tauto.
  Qed.

  Lemma append_int64 c1 c2 ie :
    fcomm_int64 sg c1 ie -> fcomm_int64 sg c2 ie -> fcomm_int64 sg (append c1 c2) ie.
  Proof.
    induction c1 as [|a IHa b IHb|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; try (simpl; tauto).
  Qed.

  Lemma iterate_ext {T : Type} n (f g : nat -> T -> T) a :
    (forall j b, f j b = g j b) -> iterate n f a = iterate n g a.
  Proof. intros same. induction n as [|n IHn]; simpl; rewrite ?IHn; auto. Qed.

  Context (out : nat).

  Lemma canonical_address ie v i : address sg ie (canonical_access out v i) = address sg ie i.
  Proof.
    destruct i as [e|]; simpl; [apply canonical_index_val|]. destruct (Nat.eqb v out); reflexivity.
  Qed.

  Lemma canonical_access_safe extent ie v i :
    access_safe sg extent ie v i -> access_safe sg extent ie v (canonical_access out v i).
  Proof.
    unfold access_safe. rewrite canonical_address. intros [below safe]. split; [exact below|].
    destruct i as [e|]; simpl; [apply canonical_index_safe, safe|].
    destruct (Nat.eqb v out); exact I.
  Qed.

  Lemma canonical_access_computed ie v i :
    access_computed sg ie i -> access_computed sg ie (canonical_access out v i).
  Proof.
    destruct i as [e|]; simpl.
    - unfold computed. rewrite canonical_index_int64, canonical_index_val. auto.
    - intros _. destruct (Nat.eqb v out); [reflexivity | exact I].
  Qed.

  Lemma canonical_eval K ie m e : feval sg K ie m (canonical_exp out e) = feval sg K ie m e.
  Proof.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; rewrite ?canonical_address, ?canonical_index_val, ?canonical_guard_val, ?IH1, ?IH2, ?IH3; reflexivity.
  Qed.

  Lemma canonical_exp_reads ie e l :
    fexp_reads sg ie (canonical_exp out e) l <-> fexp_reads sg ie e l.
  Proof.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; rewrite ?canonical_address, ?canonical_guard_val; try tauto.
    destruct (guard_val sg ie g); assumption.
  Qed.

  Lemma canonical_exp_safe extent ie e :
    fexp_safe sg extent ie e -> fexp_safe sg extent ie (canonical_exp out e).
  Proof.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; rewrite ?canonical_guard_val; try tauto.
    - apply canonical_access_safe.
    - apply canonical_index_safe.
    - intros [safe safe1]. split; [apply canonical_guard_safe, safe|].
      destruct (guard_val sg ie g); auto.
  Qed.

  Lemma canonical_exp_computed ie e :
    fexp_computed sg ie e -> fexp_computed sg ie (canonical_exp out e).
  Proof.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; rewrite ?canonical_guard_val; try tauto.
    - apply canonical_access_computed.
    - unfold computed. rewrite canonical_index_int64, canonical_index_val. auto.
    - intros [safe safe1]. split; [apply canonical_guard_computed, safe|].
      destruct (guard_val sg ie g); auto.
  Qed.

  Lemma canonical_exec K junk c : forall ie m,
    fexec sg K junk (canonical out c) ie m = fexec sg K junk c ie m.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; intros ie m.
    - reflexivity.
    - rewrite append_exec, IH1. apply IH2.
    - rewrite canonical_address, canonical_eval. reflexivity.
    - rewrite IHc. reflexivity.
    - apply iterate_ext. intros j b. apply IHc.
    - rewrite canonical_count, canonical_first. apply iterate_ext. intros j b. apply IHc.
  Qed.

  Lemma canonical_writes c : forall ie l,
    fcomm_writes sg (canonical out c) ie l <-> fcomm_writes sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; intros ie l.
    - reflexivity.
    - rewrite append_writes, IH1, IH2. reflexivity.
    - rewrite canonical_address. reflexivity.
    - rewrite IHc. reflexivity.
    - split; intros (j & j_lt & writes); exists j; split; auto; apply IHc; assumption.
    - rewrite canonical_count, canonical_first.
      split; intros (j & j_lt & writes); exists j; split; auto; apply IHc; assumption.
  Qed.

  Lemma canonical_reads c : forall ie l,
    fcomm_reads sg (canonical out c) ie l <-> fcomm_reads sg c ie l.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; intros ie l.
    - reflexivity.
    - rewrite append_reads, IH1, IH2. reflexivity.
    - apply canonical_exp_reads.
    - rewrite IHc. reflexivity.
    - split; intros (j & j_lt & reads); exists j; split; auto; apply IHc; assumption.
    - rewrite canonical_count, canonical_first.
      split; intros (j & j_lt & reads); exists j; split; auto; apply IHc; assumption.
  Qed.

  Lemma canonical_safe c : forall extent ie,
    fcomm_safe sg extent c ie -> fcomm_safe sg extent (canonical out c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; intros extent ie safe.
    - exact I.
    - destruct safe. apply append_safe; auto.
    - destruct safe. split; [apply canonical_access_safe | apply canonical_exp_safe]; assumption.
    - apply IHc, safe.
    - destruct safe as [safe disjoint]. split; [auto|].
      intros both j j1 l j_lt j1_lt different writes.
      rewrite canonical_reads, canonical_writes. rewrite canonical_writes in writes.
      exact (disjoint both j j1 l j_lt j1_lt different writes).
    - destruct safe as (safe_lo & safe_hi & safe). rewrite canonical_count, canonical_first.
      auto using canonical_pairs_safe.
  Qed.

  Lemma canonical_int64 c : forall ie,
    fcomm_int64 sg c ie -> fcomm_int64 sg (canonical out c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie exact_c.
    - exact I.
    - destruct exact_c. apply append_int64; auto.
    - destruct exact_c. split;
        [apply canonical_access_computed | apply canonical_exp_computed]; assumption.
    - cbn [fcomm_int64 canonical] in *. destruct n as [n|]; [|auto].
      destruct exact_c as (computed_n & bytes & exact_c). auto.
    - simpl in *. destruct exact_c. auto.
    - cbn [fcomm_int64 canonical] in *. destruct exact_c as (exact_lo & exact_hi & exact_n & exact_c).
      rewrite canonical_count, canonical_first. repeat split; auto using canonical_pairs_computed.
  Qed.
End MEANING.
